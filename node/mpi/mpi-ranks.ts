/**
 * Communication between the processes of an MPI job, with the functions of Open MPI or MPICH. Calls
 * do not block: this thread polls them and can handle signals meanwhile.
 */
import { setImmediate } from "node:timers/promises";
import { GaussianizeError } from "../../src/errors.js";
import type { Blocks, Ranks } from "../../src/parallel/ranks.js";
import { type Environment, type Launch, launchOf } from "./launch.js";
import { type ForeignFunction, type ForeignLibrary, openMpiLibrary } from "./library.js";

/** Constants that the C headers of the two libraries define differently. */
interface Handles {
  /** C type of a handle. */
  readonly type: string;
  readonly world: bigint | number;
  readonly byte: bigint | number;
  readonly errorsReturn: bigint | number;
  /** MPI_STATUS_IGNORE */
  readonly noStatus: bigint | number;
}

/** Returns addresses of variables in Open MPI, numbers in MPICH and its ABI (Intel, Cray). */
function handlesOf(library: ForeignLibrary): Handles {
  try {
    return {
      type: "void *",
      world: library.symbol("ompi_mpi_comm_world"),
      byte: library.symbol("ompi_mpi_byte"),
      errorsReturn: library.symbol("ompi_mpi_errors_return"),
      noStatus: 0,
    };
  } catch {
    return {
      type: "int",
      world: 0x44000000,
      byte: 0x4c00010d,
      errorsReturn: 0x54000001,
      noStatus: 1,
    };
  }
}

/** MPI_THREAD_FUNNELED: of several threads, only one calls MPI. */
const funneled = 1;

/** Time to poll without naps. Ranks with equal work arrive almost together. */
const patienceInMilliseconds = 0.5;
/** Shorter than Node's timers allow, and short enough to block this thread. */
const napInMicroseconds = 200;

export class MpiRanks implements Ranks {
  readonly rank: number;
  readonly size: number;
  private readonly beginBarrier: ForeignFunction;
  private readonly test: ForeignFunction;
  private readonly exchangeBlocks: ForeignFunction;
  private readonly gatherBlocks: ForeignFunction;
  private readonly finalize: ForeignFunction;
  private readonly abortJob: ForeignFunction;
  private readonly sleep: ForeignFunction;
  /** Arguments of the current call, which must not be garbage-collected during it. */
  private inUse: readonly unknown[] | undefined;

  private constructor(
    library: ForeignLibrary,
    private readonly system: ForeignLibrary,
    private readonly handles: Handles,
  ) {
    const { type, world } = handles;
    const askedFor = (name: string): number => {
      const answer = [0];
      const ask = library.func(`int ${name}(${type} comm, _Out_ int *value)`);
      requireSuccess(name, ask(world, answer));
      return answer[0];
    };
    this.rank = askedFor("MPI_Comm_rank");
    this.size = askedFor("MPI_Comm_size");
    // MPI must return errors, so that results can be saved before the process ends.
    const handleErrors = library.func(`int MPI_Comm_set_errhandler(${type} comm, ${type} handler)`);
    requireSuccess("MPI_Comm_set_errhandler", handleErrors(world, handles.errorsReturn));
    const blocks = (k: number): string =>
      `void *bytes${k}, const void *lengths${k}, const void *offsets${k}, ${type} type${k}`;
    this.beginBarrier = library.func(`int MPI_Ibarrier(${type} comm, void *request)`);
    this.test = library.func("int MPI_Test(void *request, void *isDone, intptr_t status)");
    this.exchangeBlocks = library.func(
      `int MPI_Ialltoallv(${blocks(1)}, ${blocks(2)}, ${type} comm, void *request)`,
    );
    this.gatherBlocks = library.func(
      `int MPI_Iallgatherv(const void *own, int length, ${type} type1, ${blocks(2)}, ${type} comm, void *request)`,
    );
    this.finalize = library.func("int MPI_Finalize()");
    this.abortJob = library.func(`int MPI_Abort(${type} comm, int code)`);
    this.sleep = system.func("int usleep(unsigned int microseconds)");
  }

  /** Initialises MPI. Call it once in a process. */
  static async join(environment: Environment, open = openMpiLibrary): Promise<MpiRanks> {
    const launch = launchOf(environment);
    const { library, system, path } = await open(environment, launch);
    const provided = [0];
    const failed = library.func(
      "int MPI_Init_thread(void *argc, void *argv, int required, _Out_ int *provided)",
    )(null, null, funneled, provided);
    if (failed !== 0)
      throw new GaussianizeError(
        "unavailable",
        `MPI could not be started (${path}, error ${failed}).`,
      );
    if (provided[0] < funneled) {
      throw new GaussianizeError(
        "unavailable",
        `${path} does not support threads (level ${provided[0]}; expected ${funneled} or more).`,
      );
    }
    const ranks = new MpiRanks(library, system, handlesOf(library));
    requireLaunched(launch, ranks.size, path);
    return ranks;
  }

  exchange(send: Blocks, receive: Blocks): Promise<void> {
    const values = [...this.blockValues(send), ...this.blockValues(receive), this.handles.world];
    return this.call("MPI_Ialltoallv", this.exchangeBlocks, values);
  }

  gather(own: Uint8Array, all: Blocks): Promise<void> {
    const { byte, world } = this.handles;
    const values = [own, own.length, byte, ...this.blockValues(all), world];
    return this.call("MPI_Iallgatherv", this.gatherBlocks, values);
  }

  private blockValues({ bytes, lengths, offsets }: Blocks): readonly unknown[] {
    return [bytes, lengths, offsets, this.handles.byte];
  }

  /** Whether a call is in progress. */
  get isWaiting(): boolean {
    return this.inUse !== undefined;
  }

  /**
   * Finalises MPI after all ranks are done. MPI_Finalize must run on the thread of MPI_Init and
   * blocks it, but only shortly then. All results are written, so its failure does not matter.
   */
  leave(): void {
    this.finalize();
  }

  /** Ends this process without MPI's exit handlers, which might wait for other ranks. */
  exit(code: number): never {
    this.system.func("void _exit(int code)")(code);
    throw new Error("unreachable");
  }

  /** Ends the processes of all ranks. */
  abort(code: number): never {
    this.abortJob(this.handles.world, code);
    return this.exit(code);
  }

  private async call(
    name: string,
    begin: ForeignFunction,
    values: readonly unknown[],
  ): Promise<void> {
    if (this.inUse) throw new Error(`${name} was called during another call`);
    // Reading .buffer moves a small array out of the heap, where its address could change.
    this.inUse = values.map((value) => (ArrayBuffer.isView(value) ? value.buffer : value));
    try {
      // A rank on the same machine may need this processor to reach the barrier.
      const { world } = this.handles;
      await this.completed("MPI_Ibarrier", this.beginBarrier, [world], patienceInMilliseconds);
      // Bytes move only while MPI is polled.
      await this.completed(name, begin, values, Infinity);
    } finally {
      this.inUse = undefined;
    }
  }

  /** Polls a call until it completes; after `patience` milliseconds, naps between polls. */
  private async completed(
    name: string,
    begin: ForeignFunction,
    values: readonly unknown[],
    patience: number,
  ): Promise<void> {
    const request = new BigUint64Array(1);
    const isDone = new Int32Array(1);
    requireSuccess(name, begin(...values, request));
    const began = performance.now();
    for (;;) {
      requireSuccess(name, this.test(request, isDone, this.handles.noStatus));
      if (isDone[0] !== 0) return;
      if (performance.now() - began > patience) this.sleep(napInMicroseconds);
      await setImmediate();
    }
  }
}

function requireSuccess(name: string, code: number): void {
  if (code === 0) return;
  throw new GaussianizeError(
    "worker-failed",
    `${name} failed (error ${code}): another rank may have died.`,
  );
}

/** Throws if the processes do not see each other: each would fit its own model. */
function requireLaunched(launch: Launch, size: number, path: string): void {
  if (launch.size === size || launch.size === 1) return;
  const advice = launch.flavour
    ? "mpirun and the library must belong to the same MPI (name the right library in GAUSSIANIZE_MPI)"
    : "start it with srun --mpi=pmix (or another type from srun --mpi=list)";
  throw new GaussianizeError(
    "unavailable",
    `${launch.size} processes were started, but ${path} sees only ${size}: ${advice}.`,
  );
}
