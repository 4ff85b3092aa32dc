/**
 * Opens a pool, ends a worker as the argument says, and closes the pool. Must then end:
 *
 *   node lose-a-worker.mjs exit|throw|terminate|close|start
 *
 * Prints the error of the run.
 */
import { startWorker } from "../../../dist/node/worker-threads.js";
import { loadKernels } from "../../../dist/src/index.js";
import { WorkerPool } from "../../../dist/src/parallel/worker-pool.js";
import { deadlyJob } from "../../support/workers/jobs.mjs";

const [how] = process.argv.slice(2);
const { kernels } = await loadKernels();
const module = new URL(
  how === "start"
    ? "../../support/workers/throws-at-import.mjs"
    : "../../support/workers/odd-jobs.mjs",
  import.meta.url,
);

/** @type {import("../../../dist/src/parallel/messages.js").WorkerHandle[]} */
const handles = [];

try {
  const pool = await WorkerPool.open(kernels, 2, (index) => {
    handles[index] = startWorker(module);
    return handles[index];
  });
  const death = how === "throw" ? "throw later" : how === "exit" ? "exit" : "loop forever";
  const tasks = [death, ...Array.from({ length: 9 }, () => /** @type {const} */ ("nothing"))];
  const run = pool.run(
    deadlyJob,
    null,
    tasks.map((task) => ({ task: /** @type {"exit"} */ (task), transfer: [] })),
  );
  if (how === "terminate") setTimeout(() => void handles[0].terminate(), 50);
  if (how === "close") setTimeout(() => void pool.close(), 50);
  await run.catch((/** @type {Error} */ error) => {
    console.log(error.message);
  });
  await pool.close();
} catch (error) {
  console.log(/** @type {Error} */ (error).message);
}
