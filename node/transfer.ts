/** One attempt of a download: a request for what is missing, and the answer onto the disk. */
import { type IncomingMessage, type OutgoingHttpHeaders, get as getOverHttp } from "node:http";
import { get as getOverHttps } from "node:https";
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
  /**
   * After every piece, with the bytes of the file that are there; fewer than before after a
   * restart.
   */
  readonly onProgress?: ((received: number) => void) | undefined;
  /** Milliseconds without a byte after which a connection counts as cut. */
  readonly stallLimit?: number | undefined;
}

const usualStallLimit = 30_000;

/**
 * Fetches until all bytes are there; an {@link Interruption} says that another attempt may
 * continue.
 */
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
async function answer(
  source: Source,
  file: PartialFile,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (file.received > source.bytes) await file.restart();
  let response = await request(source, file.received, signal);
  if (continues(response, file.received, source.bytes)) {
    file.continueWithAnother();
    return response;
  }
  if (otherRange.has(response.statusCode ?? 0)) {
    response.destroy();
    response = await request(source, 0, signal);
  }
  // The server knows no ranges, or the file has changed there. Only an answer that fits may cost
  // what is here already.
  requireWholeFile(source, response);
  await file.restart();
  return response;
}

/** "Partial content", of another part than was asked for; "range not satisfiable". */
const otherRange: ReadonlySet<number> = new Set([206, 416]);

async function request(
  source: Source,
  from: number,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers: OutgoingHttpHeaders = {
    // Compressed on the way, offsets would not be those of the file.
    "accept-encoding": "identity",
    ...(from > 0 && { range: `bytes=${from}-` }),
    ...(from > 0 && source.version !== undefined && { "if-range": source.version }),
  };
  try {
    const response = await httpGet(source.address, headers, signal);
    const version = response.headers.etag;
    // A weak one ("W/…") does not promise the same bytes.
    source.version = version?.startsWith("W/") ? undefined : version;
    return response;
  } catch (error) {
    throw networkError(source.address, error);
  }
}

function continues({ statusCode, headers }: IncomingMessage, from: number, bytes: number): boolean {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers["content-range"] ?? "");
  if (statusCode !== 206 || !range) return false;
  return Number(range[1]) === from && (range[2] === "*" || Number(range[2]) === bytes);
}

function requireWholeFile({ address, bytes }: Source, response: IncomingMessage): void {
  const { statusCode, headers } = response;
  if (statusCode !== 200) throw httpError(address, response);
  const length = headers["content-length"];
  const isEncoded = headers["content-encoding"] !== undefined;
  if (length !== undefined && !isEncoded && Number(length) !== bytes) {
    throw otherFile(address, `${length} rather than ${bytes}`);
  }
}

async function receive(
  { address, bytes }: Source,
  response: IncomingMessage,
  file: PartialFile,
  onPiece: () => void,
): Promise<void> {
  for await (const piece of piecesOf(address, response)) {
    if (file.received + piece.length > bytes) {
      // Not one byte more than is wanted: an endless answer must not fill the disk.
      await file.restart();
      throw otherFile(address, `more than ${bytes}`);
    }
    await file.append(piece);
    onPiece();
  }
  if (file.received < bytes) {
    throw new Interruption(address, `it ended after ${file.received} of ${bytes} bytes`);
  }
}

/** The body of an answer. Only errors of the connection become errors of the network. */
async function* piecesOf(address: string, response: IncomingMessage): AsyncGenerator<Uint8Array> {
  const pieces = response.iterator() as AsyncIterator<Uint8Array>;
  for (;;) {
    const next = await pieces.next().catch((error: unknown) => {
      throw networkError(address, error);
    });
    if (next.done === true) return;
    yield next.value;
  }
}

function otherFile(address: string, size: string): GaussianizeError {
  return new GaussianizeError(
    "network-failed",
    cannotFetch(address, `the server has another file, of ${size} bytes`),
  );
}

const mostRedirects = 10;

/**
 * Sends a GET request, follows redirects, and returns the answer with its body still to be read.
 * Not `fetch`: in Node 22 and 24 it crashes the process if a server sends no length and closes the
 * connection before the body is read.
 */
async function httpGet(
  address: string,
  headers: OutgoingHttpHeaders,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let location = new URL(address);
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const response = await get(location, headers, signal);
    const next = response.headers.location;
    if (!isRedirect(response) || next === undefined) return response;
    response.destroy();
    location = new URL(next, location);
  }
  throw new GaussianizeError(
    "network-failed",
    cannotFetch(address, `it redirects more than ${mostRedirects} times`),
  );
}

function get(
  location: URL,
  headers: OutgoingHttpHeaders,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const send = location.protocol === "https:" ? getOverHttps : getOverHttp;
  return new Promise((resolve, reject) => {
    send(location, { headers, signal }, resolve).once("error", reject);
  });
}

function isRedirect({ statusCode = 0 }: IncomingMessage): boolean {
  return [301, 302, 303, 307, 308].includes(statusCode);
}
