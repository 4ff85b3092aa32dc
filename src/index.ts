/** The whole public API of the core; it runs unchanged in Node and in browsers. */
export { expected, GaussianizeError, UsageError } from "./errors.js";
export {
  createRandom,
  RandomStream,
  type RandomState,
  type Seed,
  type Purpose,
} from "./random/random-stream.js";
