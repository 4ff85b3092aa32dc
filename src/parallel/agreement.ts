/**
 * Makes ranks stop together: a failure or interruption of one rank reaches all others at the same
 * point of the program.
 *
 * In every exchange each rank first sends its status: well (with its data), asked to stop, or
 * failed. So a rank can report a failure in any exchange, and its report is never mistaken for
 * data.
 */
import { type Failure, GaussianizeError, failureOf } from "../errors.js";
import { type Ranks, gatherMessages } from "./ranks.js";

/** Status of a rank. */
interface RankStatus {
  /** Whether it was asked to stop. */
  readonly stops?: boolean;
  /** Error that ends its work. */
  readonly failure?: Error;
}

/** First byte of a message. A rank that is well and has no data sends an empty message. */
const tags = { isWell: 0, stops: 1, fails: 2 } as const;

/** A failure that all ranks know; only one of them reports it to the user. */
export class AgreedError extends GaussianizeError {
  override readonly name = "AgreedError";

  constructor(
    { code, argument, message }: Failure,
    readonly exitCode: number,
  ) {
    super(code, message, { argument });
  }
}

/** Ranks differ that should be equal: their results since the last check are invalid. */
export class Disagreement extends AgreedError {}

/** Error of a rank that stops because another one was asked to. */
export class StoppedTogether extends GaussianizeError {
  override readonly name = "StoppedTogether";

  constructor() {
    super("interrupted", "Another rank was asked to stop.");
  }
}

/** A failure in an exchange that the others wait for: they cannot be told, so the job must end. */
export class LonelyFailure extends GaussianizeError {
  override readonly name = "LonelyFailure";

  constructor(cause: unknown) {
    const { code, argument, message } = failureOf(cause);
    super(code, message, { argument, cause });
  }
}

const nothing = new Uint8Array(0);

/**
 * Exchanges status and data with all ranks. A rank that stops sends no data.
 *
 * @throws AgreedError if one of them failed
 * @throws LonelyFailure if they cannot reach each other
 */
async function meet(ranks: Ranks, status: RankStatus, data: Uint8Array) {
  const messages = await gatherMessages(ranks, encoded(status, data)).catch((error: unknown) => {
    throw new LonelyFailure(error);
  });
  const rank = messages.findIndex(([tag]) => tag === tags.fails);
  if (rank >= 0) {
    const { exitCode, ...failure } = parsed(messages[rank].subarray(1)) as ReturnType<
      typeof reportOf
    >;
    const message = rank === 0 ? failure.message : `Rank ${rank}: ${failure.message}`;
    throw new AgreedError({ ...failure, message }, exitCode);
  }
  return {
    stops: messages.some(([tag]) => tag === tags.stops),
    all: messages.map((message) => message.subarray(1)),
  };
}

/** Returns whether any rank was asked to stop. */
export async function agree(ranks: Ranks, status: RankStatus): Promise<boolean> {
  return (await meet(ranks, status, nothing)).stops;
}

/**
 * Returns the data of every rank, at all of them.
 *
 * @throws StoppedTogether if one of them was asked to stop
 */
export async function gatherGifts(
  ranks: Ranks,
  data: Uint8Array = nothing,
): Promise<readonly Uint8Array[]> {
  const { stops, all } = await meet(ranks, {}, data);
  if (stops) throw new StoppedTogether();
  return all;
}

/** Returns the JSON value of every rank. */
export async function gatherValues<Value>(ranks: Ranks, value: Value): Promise<Value[]> {
  const all = await gatherGifts(ranks, new TextEncoder().encode(JSON.stringify(value)));
  return all.map((data) => parsed(data) as Value);
}

/** Returns the bytes of rank 0. */
export async function share(ranks: Ranks, bytes: Uint8Array): Promise<Uint8Array> {
  const [first] = await gatherGifts(ranks, ranks.rank === 0 ? bytes : nothing);
  return first;
}

/** Does work at rank 0 only, and returns its result, a JSON value, at all ranks. */
export async function onFirst<Result>(ranks: Ranks, work: () => Promise<Result>): Promise<Result> {
  const text = ranks.rank === 0 ? JSON.stringify(await work()) : "";
  return parsed(await share(ranks, new TextEncoder().encode(text))) as Result;
}

/**
 * Requires all ranks to have the same text; `about` adds details to the error.
 *
 * @throws Disagreement, the same at all ranks, if one has another text than rank 0
 */
export async function requireAlike(
  ranks: Ranks,
  text: string,
  what: string,
  about = "",
): Promise<void> {
  const all = await gatherValues(ranks, { text, about });
  const other = all.findIndex((said) => said.text !== all[0].text);
  if (other < 0) return;
  const more = about === "" ? "" : `: ${all[other].about}; rank 0: ${all[0].about}`;
  const message = `Rank ${other} ${what} than rank 0${more}.`;
  throw new Disagreement({ code: "mismatch", message }, 1);
}

/**
 * Reports `error` to the other ranks in their next exchange, unless they know it, and returns the
 * error with which all ranks end. `interruption` is the error of a rank that was asked to stop. All
 * ranks have then made the same number of exchanges, unless the failure is lonely.
 */
export async function told(
  ranks: Ranks,
  error: unknown,
  interruption: unknown,
): Promise<AgreedError | StoppedTogether | LonelyFailure> {
  if (isKnownToAll(error) || error instanceof LonelyFailure) return error;
  try {
    await agree(ranks, error === interruption ? { stops: true } : { failure: error as Error });
    return new StoppedTogether();
  } catch (agreed) {
    return agreed as AgreedError | LonelyFailure;
  }
}

function isKnownToAll(error: unknown): error is AgreedError | StoppedTogether {
  return error instanceof AgreedError || error instanceof StoppedTogether;
}

function encoded({ stops = false, failure }: RankStatus, data: Uint8Array): Uint8Array {
  if (failure) {
    return tagged(tags.fails, new TextEncoder().encode(JSON.stringify(reportOf(failure))));
  }
  if (stops) return tagged(tags.stops, nothing);
  return data.length > 0 ? tagged(tags.isWell, data) : nothing;
}

function tagged(tag: number, bytes: Uint8Array): Uint8Array {
  const message = new Uint8Array(1 + bytes.length);
  message[0] = tag;
  message.set(bytes, 1);
  return message;
}

function parsed(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes));
}

function reportOf(error: Error): Failure & { readonly exitCode: number } {
  const hasExitCode = "exitCode" in error && typeof error.exitCode === "number";
  return { ...failureOf(error), exitCode: hasExitCode ? (error.exitCode as number) : 1 };
}
