/**
 * The processes of an MPI job, by the functions of Open MPI or MPICH. Bytes are moved in a thread of their own, once all ranks are there:
 * this thread hears signals meanwhile.
 */
import { setImmediate, setTimeout } from "node:timers/promises";
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

/** In Open MPI addresses of its variables; in MPICH, and in all that keep to its ABI (Intel, Cray), numbers. */
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

/** MPI_THREAD_SERIALIZED: calls come from several threads, one at a time. */
const serialized = 2;

export class MpiRanks implements Ranks {
  readonly rank: number;
  readonly size: number;
  private readonly beginBarrier: ForeignFunction;
  private readonly test: ForeignFunction;
  private readonly exchangeBlocks: ForeignFunction;
  private readonly gatherBlocks: ForeignFunction;
  private readonly finalize: ForeignFunction;
  private readonly abortJob: ForeignFunction;
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
    library.func(`int MPI_Comm_set_errhandler(${type} comm, ${type} handler)`)(
      world,
      handles.errorsReturn,
    );
    const blocks = (k: number): string =>
      `void *bytes${k}, const void *lengths${k}, const void *offsets${k}, ${type} type${k}`;
    this.beginBarrier = library.func(`int MPI_Ibarrier(${type} comm, void *request)`);
    this.test = library.func("int MPI_Test(void *request, void *isDone, intptr_t status)");
    this.exchangeBlocks = library.func(
      `int MPI_Alltoallv(${blocks(1)}, ${blocks(2)}, ${type} comm)`,
    );
    this.gatherBlocks = library.func(
      `int MPI_Allgatherv(const void *own, int length, ${type} type1, ${blocks(2)}, ${type} comm)`,
    );
    this.finalize = library.func("int MPI_Finalize()");
    this.abortJob = library.func(`int MPI_Abort(${type} comm, int code)`);
  }

  /** Once in a process. */
  static async join(environment: Environment): Promise<MpiRanks> {
    const launch = launchOf(environment);
    const { library, system, path } = await openMpiLibrary(environment, launch);
    const provided = [0];
    const failed = library.func(
      "int MPI_Init_thread(void *argc, void *argv, int required, _Out_ int *provided)",
    )(null, null, serialized, provided);
    if (failed !== 0)
      throw new GaussianizeError(`MPI could not be started (${path}, error ${failed}).`);
    if (provided[0] < serialized) {
      throw new GaussianizeError(
        `${path} cannot be called from threads (it provides level ${provided[0]}, ${serialized} is needed).`,
      );
    }
    const ranks = new MpiRanks(library, system, handlesOf(library));
    requireLaunched(launch, ranks.size, path);
    return ranks;
  }

  exchange(send: Blocks, receive: Blocks): Promise<void> {
    const { byte, world } = this.handles;
    return this.call("MPI_Alltoallv", this.exchangeBlocks, [
      ...[send.bytes, send.lengths, send.offsets, byte],
      ...[receive.bytes, receive.lengths, receive.offsets, byte, world],
    ]);
  }

  gather(own: Uint8Array, all: Blocks): Promise<void> {
    const { byte, world } = this.handles;
    return this.call("MPI_Allgatherv", this.gatherBlocks, [
      ...[own, own.length, byte, all.bytes, all.lengths, all.offsets, byte, world],
    ]);
  }

  /** A call is under way. */
  get isWaiting(): boolean {
    return this.inUse !== undefined;
  }

  /**
   * When all ranks are done, which is why it does not take long: MPI_Finalize is for the thread that called MPI_Init, which hears
   * nothing meanwhile. All is written by then, so that its failure is of no interest.
   */
  leave(): void {
    this.finalize();
  }

  /** Ends this process, whatever its threads wait for. (Node would first wait for a call that hangs.) */
  exit(code: number): never {
    this.system.func("void _exit(int code)")(code);
    throw new Error("unreachable");
  }

  /** Ends the processes of all ranks. */
  abort(code: number): never {
    // While a call is under way MPI must not be called again: launchers end a job of which one process has failed.
    if (!this.inUse) this.abortJob(this.handles.world, code);
    return this.exit(code);
  }

  private async call(
    name: string,
    call: ForeignFunction,
    values: readonly unknown[],
  ): Promise<void> {
    if (this.inUse) throw new Error(`${name} was called before the call before it came back`);
    this.inUse = values;
    try {
      await this.everybody();
      await new Promise<void>((resolve, reject) => {
        call.async(...values, (error: Error | null, code: number) => {
          const failure = error ?? failureOf(name, code);
          if (failure) reject(failure);
          else resolve();
        });
      });
    } finally {
      this.inUse = undefined;
    }
  }

  /**
   * Until all ranks have come here. The library's own way of waiting looks again and again without a pause, on a processor that a
   * rank of the same machine may need to get here.
   */
  private async everybody(): Promise<void> {
    const request = new BigUint64Array(1);
    const isDone = new Int32Array(1);
    requireSuccess("MPI_Ibarrier", this.beginBarrier(this.handles.world, request));
    const began = performance.now();
    for (;;) {
      requireSuccess("MPI_Test", this.test(request, isDone, this.handles.noStatus));
      if (isDone[0] !== 0) return;
      await (performance.now() - began < patience ? setImmediate() : setTimeout(1));
    }
  }
}

/** Milliseconds without a pause of the processor: ranks with as much to do arrive almost together. */
const patience = 0.5;

/** Of what a function of MPI has answered; undefined where all is well. */
function failureOf(name: string, code: number): GaussianizeError | undefined {
  if (code === 0) return undefined;
  return new GaussianizeError(`${name} failed (error ${code}): another rank may have died.`);
}

function requireSuccess(name: string, code: number): void {
  const failure = failureOf(name, code);
  if (failure) throw failure;
}

/** Processes that do not find each other would each fit a model of its own. */
function requireLaunched(launch: Launch, size: number, path: string): void {
  if (launch.size === size || launch.size === 1) return;
  const advice = launch.flavour
    ? `mpirun and library must be of the same MPI (name the right library in GAUSSIANIZE_MPI)`
    : "start it with srun --mpi=pmix (or what srun --mpi=list offers)";
  throw new GaussianizeError(
    `${launch.size} processes were started, but ${path} knows of ${size}: ${advice}.`,
  );
}
