/** A small HTTP server on the loopback address, as well-behaved or as broken as a test wants it. */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { turnsOfTheEventLoop } from "./local-workers.js";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface FileServer {
  /** http://127.0.0.1:port/ */
  readonly address: string;
  /** Path and Range header of every request so far: "/a.bin bytes=10-", "/a.bin". */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Answers the k-th request by the k-th answer, and all further ones by the last. */
export async function serve(...answers: readonly Answer[]): Promise<FileServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push([request.url, request.headers.range ?? []].flat().join(" "));
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

/** Obeys Range and If-Range. */
export function ranged(content: Uint8Array, version = '"1"'): Answer {
  return (request, response) => {
    const { status, headers, body } = part(content, version, request);
    response.writeHead(status, headers).end(body);
  };
}

/** As {@link ranged}, but cuts the connection after some bytes. */
export function cut(content: Uint8Array, bytes: number, version = '"1"'): Answer {
  return (request, response) => {
    const { status, headers, body } = part(content, version, request);
    response.writeHead(status, headers).write(body.subarray(0, bytes));
    // The client of the same process has read by then what was sent: a cut connection loses the
    // rest.
    void turnsOfTheEventLoop().then(() => request.socket.destroy());
  };
}

/** Knows no ranges: always everything. */
export function whole(content: Uint8Array): Answer {
  return (_, response) => {
    response.writeHead(200, { "content-length": content.length }).end(content);
  };
}

/** Says nothing of the length: only the end of the connection ends the answer. */
export function withoutLength(content: Uint8Array): Answer {
  return (request) => {
    request.socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
    request.socket.end(content);
  };
}

/** Sends pieces, each with its length, and says nothing of their sum. */
export function inPieces(content: Uint8Array): Answer {
  return (_, response) => {
    response.writeHead(200, { "transfer-encoding": "chunked" }).end(content);
  };
}

/** Begins, and then sends nothing more. */
export function stall(content: Uint8Array, bytes: number): Answer {
  return (_, response) => {
    response.writeHead(200, { "content-length": content.length }).write(content.subarray(0, bytes));
  };
}

export function status(code: number, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    response.writeHead(code, headers).end("an explanation that nobody reads");
  };
}

function part(content: Uint8Array, version: string, { headers }: IncomingMessage) {
  const length = content.length;
  const common = { etag: version, "accept-ranges": "bytes" };
  const asked = /^bytes=(\d+)-$/.exec(headers.range ?? "");
  const isSame = (headers["if-range"] ?? version) === version;
  if (!asked || !isSame)
    return { status: 200, headers: { ...common, "content-length": length }, body: content };
  const from = Number(asked[1]);
  return {
    status: 206,
    headers: {
      ...common,
      "content-length": length - from,
      "content-range": `bytes ${from}-${length - 1}/${length}`,
    },
    body: content.subarray(from),
  };
}
