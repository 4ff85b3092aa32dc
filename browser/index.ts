/** What the library needs from a browser: `import { openRunner } from "gaussianize/browser"`. */
export { openRunner, type RunnerOptions } from "./web-workers.js";
