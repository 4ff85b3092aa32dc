/**
 * How ranks stop together: what one of them has met, all of them learn at the same place of the
 * program.
 *
 * Whatever they meet for, each first says how it is: well, with what it has for the others, asked
 * to stop, or failed. So a rank that cannot go on may say so at any meeting, whatever the others
 * have come for, and what it says is never taken for their data.
 */
import { type Failure, GaussianizeError, failureOf } from "../errors.js";
import { type Ranks, gatherMessages } from "./ranks.js";

/** What a rank has to say to the others. */
export interface RankWord {
  /** It was asked to stop. */
  readonly stops?: boolean;
  /** It cannot go on. */
  readonly failure?: Error;
}

/**
 * The first byte of a message. Who is well and has nothing to give sends none: that costs 4 bytes.
 */
const tags = { isWell: 0, stops: 1, fails: 2 } as const;

interface SpokenFailure extends Failure {
  readonly exitCode: number;
}

/** A failure that all ranks know of. Only one of them need tell the user. */
export class AgreedError extends GaussianizeError {
  override readonly name = "AgreedError";

  constructor(
    { code, argument, message }: Failure,
    readonly exitCode: number,
  ) {
    super(code, message, { argument });
  }
}

/**
 * Ranks that should have the same have not: what they have made since they last had is of no use.
 */
export class Disagreement extends AgreedError {}

/** Another rank was asked to stop. */
export class StoppedTogether extends GaussianizeError {
  override readonly name = "StoppedTogether";

  constructor() {
    super("interrupted", "Another rank was asked to stop.");
  }
}

/**
 * What a rank met in the middle of work that the others wait for: they cannot be told, the job must
 * be ended.
 */
export class LonelyFailure extends GaussianizeError {
  override readonly name = "LonelyFailure";

  constructor(cause: unknown) {
    const { code, argument, message } = failureOf(cause);
    super(code, message, { argument, cause });
  }
}

/** Whether any rank wants to stop, and what each of them has given: nothing, where it does. */
interface Meeting {
  readonly stops: boolean;
  readonly gifts: readonly Uint8Array[];
}

const nothing = new Uint8Array(0);

/**
 * All ranks must come here, and in turn with whatever else they exchange.
 *
 * @throws AgreedError where one of them failed
 * @throws LonelyFailure where they cannot reach each other any more
 */
async function meet(ranks: Ranks, word: RankWord, gift: Uint8Array): Promise<Meeting> {
  const messages = await gatherMessages(ranks, encoded(word, gift)).catch((error: unknown) => {
    throw new LonelyFailure(error);
  });
  const rank = messages.findIndex(([tag]) => tag === tags.fails);
  if (rank >= 0) {
    const { exitCode, ...failure } = parsed(messages[rank].subarray(1)) as SpokenFailure;
    // Rank 0 is the one that speaks.
    const message = rank === 0 ? failure.message : `Rank ${rank}: ${failure.message}`;
    throw new AgreedError({ ...failure, message }, exitCode);
  }
  return {
    stops: messages.some(([tag]) => tag === tags.stops),
    gifts: messages.map((message) => message.subarray(1)),
  };
}

/** Whether any rank wants to stop. */
export async function agree(ranks: Ranks, word: RankWord): Promise<boolean> {
  return (await meet(ranks, word, nothing)).stops;
}

/**
 * What every rank gives, at all of them.
 *
 * @throws StoppedTogether where one of them was asked to stop
 */
export async function gatherGifts(
  ranks: Ranks,
  gift: Uint8Array = nothing,
): Promise<readonly Uint8Array[]> {
  const { stops, gifts } = await meet(ranks, {}, gift);
  if (stops) throw new StoppedTogether();
  return gifts;
}

/** What JSON can say, of every rank. */
export async function gatherValues<Value>(ranks: Ranks, value: Value): Promise<Value[]> {
  const gifts = await gatherGifts(ranks, new TextEncoder().encode(JSON.stringify(value)));
  return gifts.map((gift) => parsed(gift) as Value);
}

/** The bytes of rank 0. */
export async function share(ranks: Ranks, bytes: Uint8Array): Promise<Uint8Array> {
  const [first] = await gatherGifts(ranks, ranks.rank === 0 ? bytes : nothing);
  return first;
}

/** What rank 0 does for all of them, and what came of it; `Result` is what JSON can say. */
export async function onFirst<Result>(ranks: Ranks, work: () => Promise<Result>): Promise<Result> {
  const text = ranks.rank === 0 ? JSON.stringify(await work()) : "";
  return parsed(await share(ranks, new TextEncoder().encode(text))) as Result;
}

/**
 * `about` is what else a rank has to say of its text.
 *
 * @throws Disagreement, the same at all ranks, where one has another text than rank 0
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
 * What all ranks end with when this one has met `error`; they are told, unless they know: at the
 * meeting that they come to next. `interruption` is the error of a rank that was asked to stop. All
 * of them have then met as often, but where the failure is lonely.
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

function encoded({ stops = false, failure }: RankWord, gift: Uint8Array): Uint8Array {
  if (failure) {
    const spoken: SpokenFailure = { ...failureOf(failure), exitCode: exitCodeOf(failure) };
    return tagged(tags.fails, new TextEncoder().encode(JSON.stringify(spoken)));
  }
  if (stops) return tagged(tags.stops, nothing);
  return gift.length > 0 ? tagged(tags.isWell, gift) : nothing;
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

function exitCodeOf(error: Error): number {
  return "exitCode" in error && typeof error.exitCode === "number" ? error.exitCode : 1;
}
