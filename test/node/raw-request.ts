/**
 * Bytes to a server on the loopback address and back, as no well-behaved client would send them.
 */
import { connect } from "node:net";

/** Longer than any server of the tests waits for its clients, however busy the machine is. */
const patience = 45_000;

/**
 * What a server answers to exactly these bytes until it closes the connection; fails where it does
 * not.
 */
export function rawRequest(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    const parts: Buffer[] = [];
    const timer = setTimeout(() => {
      reject(new Error(`The server did not close the connection in ${patience} ms.`));
      socket.destroy();
    }, patience);
    socket.on("data", (part) => parts.push(part));
    // A reset connection is an answer, too.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts).toString("latin1"));
    });
    socket.write(bytes);
  });
}

/** A GET with this target, spelled as it is, after which the connection is closed. */
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

/** 0 where there was no answer. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
