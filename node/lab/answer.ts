/** What the lab's server answers with, and the headers that every answer has. */
import type { FileHandle } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
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

/** A file that gets shorter meanwhile cuts the answer short, which the browser notices by its length. */
async function sendFile(response: ServerResponse, { file, length }: OpenFile): Promise<void> {
  try {
    if (length === 0) response.end();
    else await pipeline(file.createReadStream({ start: 0, end: length - 1 }), response);
  } finally {
    // The stream has closed it mostly.
    await file.close().catch(() => undefined);
  }
}
