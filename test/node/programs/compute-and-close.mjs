/** Opens a pool with the given number of workers, computes and closes it. Must then end. */
import { gdn } from "../../../dist/src/index.js";
import { gaussianize } from "../../../dist/src/entry-points/density.js";
import { openRunner } from "../../../dist/node/index.js";

const [workers] = process.argv.slice(2);
const runner = await openRunner({ workers: Number(workers) });
const layer = gdn({
  structure: "marginal",
  dimension: 1,
  alpha: [2],
  beta: [1],
  gamma: [0],
  epsilon: [0.5],
});
const { y } = await gaussianize(runner, layer, Float32Array.of(1, -2, 3));
console.log([...y].join(" "));
await runner.close();
