/**
 * Reads what the launcher of a job (mpirun, mpiexec, srun) tells its processes in environment
 * variables, before MPI is initialised.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Launch {
  /** MPI of the launcher; undefined for Slurm's srun and without a launcher. */
  readonly flavour?: "Open MPI" | "MPICH";
  /** Number of processes of the job; 1 without a launcher. */
  readonly size: number;
  readonly rank: number;
  /** Rank among the processes on this host. */
  readonly rankOnHost: number;
}

/** Variables of size, rank and rank on the host. The first launcher whose size is set counts. */
const launchers = [
  ["Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"],
  ["MPICH", "PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"],
  [undefined, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_LOCALID"],
] as const;

export function launchOf(environment: Environment): Launch {
  const found = launchers.find(([, size]) => environment[size] !== undefined);
  if (!found) return { size: 1, rank: 0, rankOnHost: 0 };
  const [flavour, size, rank, rankOnHost] = found;
  // srun --mpi=pmi2 sets MPICH's variables for any library, but its own rank on the host.
  const isOfSlurm = environment.SLURM_STEP_ID !== undefined;
  return {
    ...(flavour && !(isOfSlurm && flavour === "MPICH") && { flavour }),
    size: Number(environment[size]),
    rank: Number(environment[rank] ?? 0),
    rankOnHost: Number(environment[rankOnHost] ?? environment.SLURM_LOCALID ?? 0),
  };
}
