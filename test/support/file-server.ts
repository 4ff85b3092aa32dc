/** A small HTTP server on the loopback address, correct or broken as a test needs. */
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

/** Answers the k-th request with the k-th answer, and later ones with the last. */
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

/** Answers with the requested range. */
export function ranged(content: Uint8Array, version = '"1"'): Answer {
  return (request, response) => {
    const { status, headers, body } = part(content, version, request);
    response.writeHead(status, headers).end(body);
  };
}

/** Answers like {@link ranged}, but closes the connection after some bytes. */
export function cut(content: Uint8Array, bytes: number, version = '"1"'): Answer {
  return (request, response) => {
    const { status, headers, body } = part(content, version, request);
    response.writeHead(status, headers).write(body.subarray(0, bytes));
    // By then the client in this process has read the bytes; closing earlier could lose them.
    void turnsOfTheEventLoop().then(() => request.socket.destroy());
  };
}

/** Ignores ranges and sends everything. */
export function whole(content: Uint8Array): Answer {
  return (_, response) => {
    response.writeHead(200, { "content-length": content.length }).end(content);
  };
}

/** Sends no length; the answer ends with the connection. */
export function withoutLength(content: Uint8Array): Answer {
  return (request) => {
    request.socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
    request.socket.end(content);
  };
}

/** Sends chunks with their lengths, but no total. */
export function inPieces(content: Uint8Array): Answer {
  return (_, response) => {
    response.writeHead(200, { "transfer-encoding": "chunked" }).end(content);
  };
}

/** Starts an answer and never finishes it. */
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
