/** Answers of the lab's server, their headers, and the requests that it rejects. */
import type { FileHandle } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { pagePolicy } from "./page-policy.js";

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array | OpenFile;
}

/** A file that is streamed to the browser and then closed. */
export interface OpenFile {
  readonly file: FileHandle;
  readonly length: number;
}

const everyAnswer: Readonly<Record<string, string>> = {
  "Content-Security-Policy": `${pagePolicy}; frame-ancestors 'none'`,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Accept-Ranges": "none",
};

/** Headers of an answer that must not be cached. */
export function uncached(type: string): Record<string, string> {
  return { "Content-Type": type, "Cache-Control": "no-store" };
}

/** Returns an answer with a sentence for people. */
export function sentence(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: { ...uncached("text/plain; charset=utf-8"), ...headers },
    body: Buffer.from(`${text}\n`),
  };
}

export function json(value: unknown): Answer {
  const headers = uncached("application/json; charset=utf-8");
  return { status: 200, headers, body: Buffer.from(JSON.stringify(value)) };
}

export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  const { status, headers = {}, body } = answer;
  // A 304 describes the file that the browser has: a length of 0 would contradict it.
  const length = status === 304 ? {} : { "Content-Length": String(body.length) };
  response.writeHead(status, { ...everyAnswer, ...headers, ...length });
  const isWanted = request.method !== "HEAD" && status !== 304;
  if (body instanceof Uint8Array) response.end(isWanted ? body : undefined);
  else if (isWanted) await sendFile(response, body);
  else {
    response.end();
    await body.file.close();
  }
}

/** Streams a file. If it gets shorter meanwhile, the browser notices by the length. */
async function sendFile(response: ServerResponse, { file, length }: OpenFile): Promise<void> {
  try {
    if (length === 0) response.end();
    else await pipeline(file.createReadStream({ start: 0, end: length - 1 }), response);
  } finally {
    // Usually the stream has closed it already.
    await file.close().catch(() => undefined);
  }
}

/** Longest accepted path and query. */
const longestTarget = 2048;

/**
 * Host names that pages on this machine may use. The owner of any other name could point it to
 * 127.0.0.1 (DNS rebinding), and pages from there must not read this server.
 */
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Returns the Host headers that a server on loopback accepts; undefined for other servers. */
export function ownHosts({ address, family, port }: AddressInfo): readonly string[] | undefined {
  if (!isLoopback(address)) return undefined;
  const bound = family === "IPv6" ? `[${address}]` : address;
  const names = [...loopbackNames, bound];
  return names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

/** Returns the answer to a request that must be rejected, or undefined. */
export function refusalOf(
  request: IncomingMessage,
  hosts: readonly string[] | undefined,
): Answer | undefined {
  if (hasBody(request)) {
    return sentence(413, "Requests must not have a body.", { Connection: "close" });
  }
  if (hosts && !isOneOf(hosts, request)) {
    return sentence(421, "The lab answers only to localhost and to its own address and port.");
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return sentence(405, "The lab accepts GET and HEAD only.", { Allow: "GET, HEAD" });
  }
  const target = request.url ?? "";
  if (target.length > longestTarget) return sentence(414, "That address is too long.");
  // Rejects "http://elsewhere/", which is for proxies, and "*".
  if (!target.startsWith("/")) return sentence(400, "An address must begin with a slash.");
  return undefined;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
}

function isOneOf(hosts: readonly string[], { headersDistinct }: IncomingMessage): boolean {
  const asked = headersDistinct.host ?? [];
  return asked.length === 1 && hosts.includes(asked[0].toLowerCase());
}

/** Tells 127.0.0.0/8 and ::1, also as IPv4 mapped into IPv6. */
export function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}
