/** Sends raw bytes to a server on the loopback address, as a bad client would. */
import { connect } from "node:net";

/** Milliseconds; longer than the servers of the tests wait, even on a busy machine. */
const patience = 45_000;

/** Returns the answer to exactly these bytes. Rejects if the server does not disconnect. */
export function rawRequest(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const parts: Buffer[] = [];
    const timer = setTimeout(() => {
      reject(new Error(`The server did not close the connection in ${patience} ms.`));
      socket.destroy();
    }, patience);
    socket.on("data", (part) => parts.push(part));
    // A reset connection counts as an answer.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts).toString("latin1"));
    });
    socket.write(bytes);
  });
}

/** Sends a request for this exact target and closes the connection after the answer. */
export function rawGet(
  port: number,
  target: string,
  headers = "",
  method = "GET",
): Promise<string> {
  const host = /^host:/im.test(headers) ? "" : `Host: 127.0.0.1:${port}\r\n`;
  return rawRequest(
    port,
    Buffer.from(
      `${method} ${target} HTTP/1.1\r\n${host}${headers}Connection: close\r\n\r\n`,
      "latin1",
    ),
  );
}

/** Returns the status of an answer, or 0 without one. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
