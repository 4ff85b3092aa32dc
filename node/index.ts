/** What the library needs from Node: `import { openRunner } from "gaussianize/node"`. */
export { readModel, writeModel } from "./model-files.js";
export { readGreyImage } from "./read-image.js";
export { enableRelaxedSimd } from "./relaxed-simd.js";
export { openRunner, type RunnerOptions } from "./worker-threads.js";
export { writeAtomically } from "./write-atomically.js";
export { requireWritable, writePng } from "./write-png.js";
