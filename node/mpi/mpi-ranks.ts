/**
 * The processes of an MPI job, by the functions of Open MPI or MPICH. None of the calls waits: this
 * thread asks now and then how far they are, and hears signals meanwhile.
 */
import { setImmediate } from "node:timers/promises";
import { GaussianizeError } from "../../src/errors.js";
import type { Blocks, Ranks } from "../../src/parallel/ranks.js";
import { type Environment, type Launch, launchOf } from "./launch.js";
import { type ForeignFunction, type ForeignLibrary, openMpiLibrary } from "./library.js";

/** What the C headers of the two libraries define, each in its own way. */
interface Handles {
  /** Of a handle, in C. */
  readonly type: string;
  readonly world: bigint | number;
  readonly byte: bigint | number;
  readonly errorsReturn: bigint | number;
  /** MPI_STATUS_IGNORE */
  readonly noStatus: bigint | number;
}

/**
 * In Open MPI addresses of its variables; in MPICH, and in all that keep to its ABI (Intel, Cray),
 * numbers.
 */
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

/** MPI_THREAD_FUNNELED: there are other threads, but calls come from one. */
const funneled = 1;

/** How long others are waited for without naps: ranks with as much to do arrive almost together. */
const patienceInMilliseconds = 0.5;
/** Shorter than Node's timers know; nobody notices that this thread does nothing else meanwhile. */
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
  /** What a call under way reads and writes: it must not be given away meanwhile. */
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
    // A failure is to be told by us, after what can be kept was kept.
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

  /** Once in a process. */
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
        `${path} cannot be used where there are threads (it provides level ${provided[0]}, ${funneled} is needed).`,
      );
    }
    const ranks = new MpiRanks(library, system, handlesOf(library));
    requireLaunched(launch, ranks.size, path);
    return ranks;
  }

  exchange(send: Blocks, receive: Blocks): Promise<void> {
    const { byte, world } = this.handles;
    return this.call("MPI_Ialltoallv", this.exchangeBlocks, [
      send.bytes,
      send.lengths,
      send.offsets,
      byte,
      receive.bytes,
      receive.lengths,
      receive.offsets,
      byte,
      world,
    ]);
  }

  gather(own: Uint8Array, all: Blocks): Promise<void> {
    const { byte, world } = this.handles;
    return this.call("MPI_Iallgatherv", this.gatherBlocks, [
      own,
      own.length,
      byte,
      all.bytes,
      all.lengths,
      all.offsets,
      byte,
      world,
    ]);
  }

  /** A call is under way. */
  get isWaiting(): boolean {
    return this.inUse !== undefined;
  }

  /**
   * When all ranks are done, which is why it does not take long: MPI_Finalize is for the thread
   * that called MPI_Init, which hears nothing meanwhile. All is written by then, so that its
   * failure is of no interest.
   */
  leave(): void {
    this.finalize();
  }

  /** Ends this process without anything that MPI would do then, and might wait for. */
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
    if (this.inUse) throw new Error(`${name} was called before the call before it came back`);
    // Who asks for the buffer of a small array also moves it out of the heap, in which it would be
    // moved about.
    this.inUse = values.map((value) => (ArrayBuffer.isView(value) ? value.buffer : value));
    try {
      // While a rank waits for others, one of the same machine may need its processor to get here.
      const { world } = this.handles;
      await this.completed("MPI_Ibarrier", this.beginBarrier, [world], patienceInMilliseconds);
      // Bytes move while one asks for them.
      await this.completed(name, begin, values, Infinity);
    } finally {
      this.inUse = undefined;
    }
  }

  /** Asks again and again; after `patience` milliseconds with naps. */
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

/** Of what a function of MPI has answered. */
function requireSuccess(name: string, code: number): void {
  if (code === 0) return;
  throw new GaussianizeError(
    "worker-failed",
    `${name} failed (error ${code}): another rank may have died.`,
  );
}

/** Processes that do not find each other would each fit a model of its own. */
function requireLaunched(launch: Launch, size: number, path: string): void {
  if (launch.size === size || launch.size === 1) return;
  const advice = launch.flavour
    ? `mpirun and library must be of the same MPI (name the right library in GAUSSIANIZE_MPI)`
    : "start it with srun --mpi=pmix (or what srun --mpi=list offers)";
  throw new GaussianizeError(
    "unavailable",
    `${launch.size} processes were started, but ${path} knows of ${size}: ${advice}.`,
  );
}
