/** One attempt to download a file: requests the missing bytes and writes them to the disk. */
import { type IncomingMessage, type OutgoingHttpHeaders, get as getOverHttp } from "node:http";
import { get as getOverHttps } from "node:https";
import { GaussianizeError } from "../src/errors.js";
import type { PartialFile } from "./partial-file.js";

export interface Source {
  readonly address: string;
  /** Expected size: an answer of another size is another file. */
  readonly bytes: number;
  /** ETag of the server's last answer. */
  version?: string | undefined;
}

export interface TransferOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after every piece with the bytes received so far; a restart reduces them. */
  readonly onProgress?: ((received: number) => void) | undefined;
  /** Milliseconds without a byte after which a connection counts as cut. */
  readonly stallLimit?: number | undefined;
}

const usualStallLimit = 30_000;

/** Fetches the missing bytes. Throws an {@link Interruption} if another attempt may continue. */
export async function transfer(
  source: Source,
  file: PartialFile,
  { signal, onProgress, stallLimit = usualStallLimit }: TransferOptions,
): Promise<void> {
  const connection = new AbortController();
  const seconds = stallLimit / 1000;
  const stall = new Interruption(source.address, `no data arrived for ${seconds} seconds`);
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
    // The caller's own reason comes before the connection's error.
    signal?.throwIfAborted();
    throw connection.signal.reason === stall ? stall : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    // Closes the connection if part of the body was not read.
    connection.abort();
  }
}

/** Returns an answer whose first byte is the next one that `file` needs. */
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
  // The server does not support ranges, or its file has changed. Bytes received earlier are
  // discarded only for an answer of the right size.
  requireWholeFile(source, response);
  await file.restart();
  return response;
}

/** "Partial content" (of another part than requested) and "range not satisfiable". */
const otherRange: ReadonlySet<number> = new Set([206, 416]);

async function request(
  source: Source,
  from: number,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const headers: OutgoingHttpHeaders = {
    // Offsets in a compressed answer would not be those of the file.
    "accept-encoding": "identity",
    ...(from > 0 && { range: `bytes=${from}-` }),
    ...(from > 0 && source.version !== undefined && { "if-range": source.version }),
  };
  try {
    const response = await httpGet(source.address, headers, signal);
    const version = response.headers.etag;
    // A weak ETag ("W/…") does not promise the same bytes.
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
      // An endless answer must not fill the disk.
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

/** Yields the body of an answer, and turns errors of the connection into network errors. */
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
 * Sends a GET request, follows redirects, and returns the answer before its body is read. Not by
 * `fetch`: in Node 22 and 24 it crashes the process if a server sends no length and closes the
 * connection early.
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

/** A failure that another attempt may overcome: a cut connection, a busy server. */
export class Interruption extends GaussianizeError {
  constructor(
    address: string,
    reason: string,
    /** Wait that the server asks for before the next attempt. */
    readonly waitInMilliseconds = 0,
  ) {
    super("network-failed", cannotFetch(address, reason));
  }
}

function cannotFetch(address: string, reason: string): string {
  return `Cannot fetch ${address}: ${reason}.`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "there is no such host, or no network",
  EAI_AGAIN: "the host name cannot be looked up at the moment",
  ECONNREFUSED: "the host refuses the connection",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network of the host cannot be reached",
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
  ETIMEDOUT: "the host does not answer",
  CERT_HAS_EXPIRED: "its certificate has expired",
};

/** Returns the sentence for an error of a connection. */
function networkError(address: string, error: unknown): GaussianizeError {
  if (error instanceof GaussianizeError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const isKnown = code !== undefined && Object.hasOwn(reasons, code);
  const reason = isKnown ? reasons[code] : `the network reports ${code ?? message}`;
  return new Interruption(address, reason);
}

/** Status codes of temporary failures. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504]);
const longestWaitInSeconds = 60;

function httpError(address: string, response: IncomingMessage): Error {
  const { statusCode = 0, statusMessage = "", headers } = response;
  const name = statusMessage === "" ? "" : ` (${statusMessage})`;
  const reason = `the server answers ${statusCode}${name}`;
  if (!passing.has(statusCode))
    return new GaussianizeError("network-failed", cannotFetch(address, reason));
  // Seconds. The other form, a date, would need synchronised clocks.
  const asked = Number(headers["retry-after"] ?? 0);
  const seconds = Number.isFinite(asked) ? Math.min(Math.max(asked, 0), longestWaitInSeconds) : 0;
  return new Interruption(address, reason, 1000 * seconds);
}
