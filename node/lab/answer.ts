/** What the lab's server answers with, the headers of every answer, and what it refuses. */
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

/** A file that is sent as it is read; whoever sends it closes it. */
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

/** A sentence, for people who look at what went wrong. */
export function sentence(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      ...headers,
    },
    body: Buffer.from(`${text}\n`),
  };
}

/** Data as it is now. */
export function json(value: unknown): Answer {
  return {
    status: 200,
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Cache-Control": "no-store",
    },
    body: Buffer.from(JSON.stringify(value)),
  };
}

export async function send(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  const { status, headers = {}, body } = answer;
  // A 304 tells of the file that the browser has; a length of nothing would contradict it.
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

/**
 * A file that gets shorter meanwhile cuts the answer short, which the browser notices by its
 * length.
 */
async function sendFile(response: ServerResponse, { file, length }: OpenFile): Promise<void> {
  try {
    if (length === 0) response.end();
    else await pipeline(file.createReadStream({ start: 0, end: length - 1 }), response);
  } finally {
    // The stream has closed it mostly.
    await file.close().catch(() => undefined);
  }
}

/** Addresses of the lab are short. */
const longestTarget = 2048;

/**
 * Names by which a page on this machine may ask. Any name can be made to lead to 127.0.0.1 by
 * whoever owns it (DNS rebinding): pages from there must not read what is served here.
 */
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** What requests to a server on loopback may call it; undefined of any other server. */
export function ownHosts({ address, family, port }: AddressInfo): readonly string[] | undefined {
  if (!isLoopback(address)) return undefined;
  const bound = family === "IPv6" ? `[${address}]` : address;
  const names = [...loopbackNames, bound];
  return names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
}

/** Undefined where nothing speaks against an answer. */
export function refusalOf(
  request: IncomingMessage,
  hosts: readonly string[] | undefined,
): Answer | undefined {
  if (hasBody(request)) {
    return sentence(413, "Requests have no body here.", { Connection: "close" });
  }
  if (hosts && !isOneOf(hosts, request)) {
    return sentence(421, "The lab answers to localhost and its own address, with its port.");
  }
  if (request.method !== "GET" && request.method !== "HEAD") {
    return sentence(405, "The lab is for reading: GET and HEAD.", { Allow: "GET, HEAD" });
  }
  const target = request.url ?? "";
  if (target.length > longestTarget) return sentence(414, "That address is too long.");
  // Neither "http://elsewhere/" as proxies are asked, nor "*".
  if (!target.startsWith("/")) return sentence(400, "An address begins with a slash.");
  return undefined;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return (headers["content-length"] ?? "0") !== "0" || headers["transfer-encoding"] !== undefined;
}

function isOneOf(hosts: readonly string[], { headersDistinct }: IncomingMessage): boolean {
  const asked = headersDistinct.host ?? [];
  return asked.length === 1 && hosts.includes(asked[0].toLowerCase());
}

/** 127.0.0.0/8 and ::1, also in the form of IPv4 in IPv6. */
export function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}
