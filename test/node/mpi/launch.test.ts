import { describe, expect, test } from "vitest";
import { launchOf } from "../../../node/mpi/launch.js";
import { openMpiLibrary } from "../../../node/mpi/library.js";
import { expectError } from "../../support/expect-error.js";

describe("launchOf", () => {
  test("returns one process without a launcher", () => {
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
  test("tells which libraries it looked for and what to install", async () => {
    const nothing = ["libnone.so.1", "libnone.so.2"];
    await expectError(openMpiLibrary({}, launchOf({}), nothing), {
      code: "unavailable",
      phrase: /libnone\.so\.1, libnone\.so\.2.*openmpi-bin.*GAUSSIANIZE_MPI/,
    });
  });
});
