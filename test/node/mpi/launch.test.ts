import { describe, expect, test } from "vitest";
import { launchOf } from "../../../node/mpi/launch.js";
import { openMpiLibrary } from "../../../node/mpi/library.js";

describe("launchOf", () => {
  test("is one process without a launcher", () => {
    expect(launchOf({})).toEqual({ size: 1, rank: 0, rankOnHost: 0 });
  });

  test.each([
    [
      { OMPI_COMM_WORLD_SIZE: "8", OMPI_COMM_WORLD_RANK: "5", OMPI_COMM_WORLD_LOCAL_RANK: "1" },
      { flavour: "Open MPI", size: 8, rank: 5, rankOnHost: 1 },
    ],
    [
      { PMI_SIZE: "4", PMI_RANK: "3", MPI_LOCALRANKID: "3" },
      { flavour: "MPICH", size: 4, rank: 3, rankOnHost: 3 },
    ],
    [
      { SLURM_STEP_NUM_TASKS: "16", SLURM_PROCID: "9", SLURM_LOCALID: "1" },
      { size: 16, rank: 9, rankOnHost: 1 },
    ],
    [
      { PMI_SIZE: "16", PMI_RANK: "9", SLURM_STEP_ID: "0", SLURM_LOCALID: "1" },
      { size: 16, rank: 9, rankOnHost: 1 },
    ],
  ])("reads %o", (environment, launch) => {
    expect(launchOf(environment)).toEqual(launch);
  });
});

describe("openMpiLibrary", () => {
  test("says what to install, and where it looked", async () => {
    const nothing = ["libnone.so.1", "libnone.so.2"];
    await expect(openMpiLibrary({}, launchOf({}), nothing)).rejects.toThrow(
      "No MPI library was found (looked for libnone.so.1, libnone.so.2, as the system's loader does): install openmpi-bin or mpich on Debian and Ubuntu, load the MPI module on a cluster (module load openmpi), or name the library in GAUSSIANIZE_MPI.",
    );
  });
});
