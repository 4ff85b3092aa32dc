/**
 * Computes with a density that is never closed. Must then end:
 *
 *   node forget-a-density.mjs awaited|pending|again WORKERS
 *
 * `pending` starts a computation at the very end; `again` starts one after a pause.
 */
import { setTimeout } from "node:timers/promises";
import { openDensity } from "../../../dist/node/index.js";

const [how, workers] = process.argv.slice(2);
const normal = /** @type {const} */ ({ kind: "affine", dimension: 1, scale: [1], shift: [0] });
const density = await openDensity(/** @type {any} */ (normal), { workers: Number(workers) });
const print = async () => {
  const values = await density.logProb(new Float32Array(2 ** 20));
  console.log(values.length, values[0].toFixed(4));
};
if (how === "pending") void print();
else await print();
if (how === "again") {
  await setTimeout(200);
  void print();
}
