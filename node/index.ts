/** What the library needs from Node: `import { openRunner } from "gaussianize/node"`. */
export { enableRelaxedSimd } from "./relaxed-simd.js";
export { openRunner, type RunnerOptions } from "./worker-threads.js";
export { requireWritable, writePng } from "./write-png.js";
