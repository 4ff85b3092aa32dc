/**
 * What the launcher of a job (mpirun, mpiexec, srun) tells its processes by their environment,
 * before MPI itself is asked.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Launch {
  /** Whose mpirun or mpiexec it was; undefined where only Slurm is known, or nobody. */
  readonly flavour?: "Open MPI" | "MPICH";
  /** Processes of the job; 1 without a launcher. */
  readonly size: number;
  readonly rank: number;
  /** Among those of this host. */
  readonly rankOnHost: number;
}

/** Names of size, rank and rank on the host; the first whose size is there counts. */
const launchers = [
  ["Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"],
  ["MPICH", "PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"],
  [undefined, "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_LOCALID"],
] as const;

export function launchOf(environment: Environment): Launch {
  const found = launchers.find(([, size]) => environment[size] !== undefined);
  if (!found) return { size: 1, rank: 0, rankOnHost: 0 };
  const [flavour, size, rank, rankOnHost] = found;
  // Slurm speaks MPICH's language of launchers (srun --mpi=pmi2) for any library, and numbers ranks
  // of a host in its own.
  const isOfSlurm = environment.SLURM_STEP_ID !== undefined;
  return {
    ...(flavour && !(isOfSlurm && flavour === "MPICH") && { flavour }),
    size: Number(environment[size]),
    rank: Number(environment[rank] ?? 0),
    rankOnHost: Number(environment[rankOnHost] ?? environment.SLURM_LOCALID ?? 0),
  };
}
