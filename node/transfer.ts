/** One attempt of a download: a request for what is missing, and the answer onto the disk. */
import { GaussianizeError } from "../src/errors.js";
import { Interruption, cannotFetch, httpError, networkError } from "./network-errors.js";
import type { PartialFile } from "./partial-file.js";

export interface Source {
  readonly address: string;
  /** Known beforehand: an answer of another size is another file. */
  readonly bytes: number;
  /** The server's name for this version of the file, from its last answer. */
  version?: string | undefined;
}

export interface TransferOptions {
  readonly signal?: AbortSignal | undefined;
  /** After every piece, with the bytes of the file that are there; fewer than before after a restart. */
  readonly onProgress?: ((received: number) => void) | undefined;
  /** Milliseconds without a byte after which a connection counts as cut. */
  readonly stallLimit?: number | undefined;
}

const usualStallLimit = 30_000;

/** Fetches until all bytes are there; an {@link Interruption} says that another attempt may continue. */
export async function transfer(
  source: Source,
  file: PartialFile,
  { signal, onProgress, stallLimit = usualStallLimit }: TransferOptions,
): Promise<void> {
  const connection = new AbortController();
  const stall = new Interruption(source.address, `nothing came for ${stallLimit / 1000} seconds`);
  const timer = setTimeout(() => {
    connection.abort(stall);
  }, stallLimit);
  const stop = (): void => {
    connection.abort();
  };
  signal?.addEventListener("abort", stop);
  try {
    signal?.throwIfAborted();
    const response = await answer(source, file, connection.signal);
    await receive(source, response, file, () => {
      timer.refresh();
      onProgress?.(file.received);
    });
  } catch (error) {
    // Whoever aborted is told so, whatever the connection made of it.
    signal?.throwIfAborted();
    throw connection.signal.reason === stall ? stall : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    // Ends a body that nobody reads on.
    connection.abort();
  }
}

/** An answer whose first byte is the next one that `file` needs. */
async function answer(source: Source, file: PartialFile, signal: AbortSignal): Promise<Response> {
  if (file.received > source.bytes) await file.restart();
  let response = await request(source, file.received, signal);
  if (continues(response, file.received, source.bytes)) {
    file.continueWithAnother();
    return response;
  }
  if (otherRange.has(response.status)) {
    await response.body?.cancel();
    response = await request(source, 0, signal);
  }
  // The server knows no ranges, or the file has changed there. Only an answer that fits may cost what is here already.
  requireWholeFile(source, response);
  await file.restart();
  return response;
}

/** "Partial content", of another part than was asked for; "range not satisfiable". */
const otherRange: ReadonlySet<number> = new Set([206, 416]);

async function request(source: Source, from: number, signal: AbortSignal): Promise<Response> {
  // Compressed on the way, offsets would not be those of the file.
  const headers = new Headers({ "accept-encoding": "identity" });
  if (from > 0) headers.set("range", `bytes=${from}-`);
  if (from > 0 && source.version !== undefined) headers.set("if-range", source.version);
  try {
    const response = await fetch(source.address, { headers, signal });
    const version = response.headers.get("etag") ?? undefined;
    // A weak one ("W/…") does not promise the same bytes.
    source.version = version?.startsWith("W/") ? undefined : version;
    return response;
  } catch (error) {
    throw networkError(source.address, error);
  }
}

function continues({ status, headers }: Response, from: number, bytes: number): boolean {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "");
  if (status !== 206 || !range) return false;
  return Number(range[1]) === from && (range[2] === "*" || Number(range[2]) === bytes);
}

function requireWholeFile({ address, bytes }: Source, response: Response): void {
  const { status, headers } = response;
  if (status !== 200) throw httpError(address, response);
  const length = headers.get("content-length");
  if (length !== null && !headers.has("content-encoding") && Number(length) !== bytes) {
    throw otherFile(address, `${length} rather than ${bytes}`);
  }
}

async function receive(
  { address, bytes }: Source,
  { body }: Response,
  file: PartialFile,
  onPiece: () => void,
): Promise<void> {
  const reader = (body ?? new Blob([]).stream()).getReader();
  for (;;) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      throw networkError(address, error);
    });
    if (done) break;
    if (file.received + value.length > bytes) {
      // Not one byte more than is wanted: an endless answer must not fill the disk.
      await file.restart();
      throw otherFile(address, `more than ${bytes}`);
    }
    await file.append(value);
    onPiece();
  }
  if (file.received < bytes) {
    throw new Interruption(address, `it ended after ${file.received} of ${bytes} bytes`);
  }
}

function otherFile(address: string, size: string): GaussianizeError {
  return new GaussianizeError(
    cannotFetch(address, `the server has another file, of ${size} bytes`),
  );
}
