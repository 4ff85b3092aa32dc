import { parentPort } from "node:worker_threads";

const port = parentPort;
if (!port) throw new Error("this module is for worker threads");

/** @type {import("../../../dist/src/parallel/messages.js").PoolPort} */
export const poolPort = {
  post(message, transfer) {
    port.postMessage(message, transfer);
  },
  onMessage(listener) {
    port.on("message", listener);
  },
};
