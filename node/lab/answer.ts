/** What the lab's server answers with, and the headers that every answer has. */
import type { IncomingMessage, ServerResponse } from "node:http";

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The page computes for itself: it may load and run what comes from here, and nothing else. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const everyAnswer: Readonly<Record<string, string>> = {
  "Content-Security-Policy": contentSecurityPolicy,
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

export function send(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const { status, headers = {}, body } = answer;
  // A 304 tells of the file that the browser has; a length of nothing would contradict it.
  const length = status === 304 ? {} : { "Content-Length": String(body.length) };
  response.writeHead(status, { ...everyAnswer, ...headers, ...length });
  if (request.method === "HEAD" || status === 304) response.end();
  else response.end(body);
}
