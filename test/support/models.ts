/** Models of every kind and structure, for the tests of files. */
import type { JsonObject } from "../../src/density/model-files/json.js";
import type { ImageModel, Model, ModelAbout } from "../../src/density/model-files/model.js";
import type { FloatArray } from "../../src/kernels/kernels.js";
import { type RandomStream, createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import { coupling, couplingGroups, couplingLengths } from "../../src/transforms/coupling.js";
import { convolution } from "../../src/transforms/convolution.js";
import { gdnOfAnyStructure } from "../../src/transforms/gdn.js";
import {
  type GdnStructure,
  freeLengths,
  gdnStructures,
} from "../../src/transforms/gdn-structures.js";
import { imageCascade } from "../../src/transforms/image-cascade.js";
import { linear } from "../../src/transforms/linear.js";
import { pointwise } from "../../src/transforms/pointwise.js";
import type { Stage } from "../../src/transforms/transform.js";
import { seed } from "./seed.js";

export type Precision = "Float32" | "Float64";

function floats(precision: Precision, length: number, valueAt: (k: number) => number): FloatArray {
  const values = precision === "Float32" ? new Float32Array(length) : new Float64Array(length);
  return values.map((_, k) => valueAt(k));
}

/** Returns a layer in which all values of a group differ. */
export function randomLayer(
  random: RandomStream,
  structure: GdnStructure,
  { n = 5, precision = "Float32", withH = true }: LayerOptions = {},
): Stage {
  const partition =
    structure === "subspace" ? Int32Array.from({ length: n }, (_, i) => (i * 2) % 3) : null;
  const rank = structure === "low-rank" ? { rank: 2 } : {};
  const lengths = freeLengths({ structure, dimension: n, partition, ...rank });
  const values = (length: number, low: number, high: number): FloatArray =>
    floats(precision, length, () => low + (high - low) * random.uniform());
  return gdnOfAnyStructure({
    structure,
    dimension: n,
    partition,
    ...rank,
    H: withH ? randomMatrix(random, n, precision) : null,
    alpha: values(lengths.alpha, 1, 2.5),
    beta: values(lengths.beta, 0.2, 1.2),
    gamma: values(lengths.gamma, 0, 1),
    epsilon: values(lengths.epsilon, 0, 0.4),
  });
}

interface LayerOptions {
  readonly n?: number;
  readonly precision?: Precision;
  readonly withH?: boolean;
}

/** Returns a well conditioned matrix that contains −0. */
function randomMatrix(random: RandomStream, n: number, precision: Precision): FloatArray {
  return floats(precision, n * n, (k) =>
    k === 1 ? -0 : (k % (n + 1) === 0 ? 3 : 0) + random.uniform() - 0.5,
  );
}

export const about: ModelAbout = {
  name: 'Bäume, 木 and \u{1F333} "quoted"\n',
  patch: { width: 5, height: 1, channels: 1 },
  preprocessing: { curve: "none", offsets: [0, -0.5, 1e-300] },
  data: { description: "dead leaves", hash: "sha256:00ff", images: 3 },
  seed: "2015",
  training: {
    steps: 100,
    batch: 64,
    history: [
      { step: 0, nats: -1.25 },
      { step: 99, nats: 0.1 },
    ],
  },
  figures: { negentropyInNats: -2.43, count: 12 },
  comment: [null, true, { deep: ["kept"] }],
};

const aboutOf = (name: string): JsonObject & ModelAbout => ({ ...about, name });

/** Returns models of each kind and structure, alone and in cascades, in both precisions. */
export function everyModel(): readonly (readonly [name: string, model: Model])[] {
  const random = createRandom(seed, "models");
  const n = 5;
  const precisions: readonly Precision[] = ["Float32", "Float64"];
  return precisions.flatMap((precision) => {
    const values = (length: number, low: number): FloatArray =>
      floats(precision, length, () => low + random.uniform());
    const others: readonly Stage[] = [
      linear({ dimension: n, H: randomMatrix(random, n, precision) }),
      affine({ dimension: n, scale: values(n, 0.5), shift: values(n, -0.5) }),
      pointwise({
        dimension: n,
        lower: values(1, -2),
        upper: values(1, 1),
        rate: values(1, 0.5),
        asymmetry: values(1, 0.5),
        center: values(1, -0.5),
      }),
    ];
    const layers = gdnStructures.flatMap((structure) =>
      [true, false].map((withH) => randomLayer(random, structure, { n, precision, withH })),
    );
    const shape = { dimension: n, hidden: 4, given: "odd" } as const;
    const lengths = couplingLengths(shape);
    const groups = couplingGroups.map((name) => [name, values(lengths[name], -0.5)] as const);
    const network = Object.fromEntries(groups) as Record<
      (typeof couplingGroups)[number],
      FloatArray
    >;
    const stages = [...others, ...layers, coupling({ ...shape, ...network })];
    const nameOf = (stage: Stage): string =>
      stage.kind === "gdn" ? `${stage.structure}${stage.H ? " with H" : ""}` : stage.kind;
    return [
      ...stages.map((stage) => [nameOf(stage), stage] as const),
      ["a cascade of all", cascade(stages)] as const,
      ["a cascade of four", cascade(stages.slice(0, 4))] as const,
      ["a cascade of one", cascade([stages[0]])] as const,
    ].map(
      ([name, transform]) =>
        [`${name}, ${precision}`, { transform, about: aboutOf(name) }] as const,
    );
  });
}

/** Returns asymmetric models of whole images, with stride 2 and stride 1. */
export function everyImageModel(): readonly (readonly [name: string, model: ImageModel])[] {
  const random = createRandom(seed, "image models");
  return (["Float32", "Float64"] as const).flatMap((precision) =>
    [2, 1].map((stride) => {
      const maps = stride * stride;
      const values = (length: number, low: number): FloatArray =>
        floats(precision, length, () => low + random.uniform());
      const taps = { width: 3, height: 2, left: -1, top: 0 };
      const mixing = (): ReturnType<typeof convolution> => {
        const weights = floats(precision, 6 * maps * maps, () => 0.1 * (random.uniform() - 0.5));
        // Offset 0, in the first row of taps: well conditioned on every grid.
        for (let c = 0; c < maps; c++) weights[(maps + c) * maps + c] += 1;
        return convolution({ maps, taps, weights });
      };
      const stages = [
        affine({ dimension: maps, scale: values(maps, 0.5), shift: values(maps, -0.5) }),
        mixing(),
        randomLayer(random, "column", { n: maps, precision, withH: false }),
        mixing(),
        randomLayer(random, "general", { n: maps, precision }),
      ];
      const name = `an image cascade of stride ${stride}, ${precision}`;
      const patch = { width: stride, height: stride, luminance: "linear" } as const;
      const transform = imageCascade({ stride, stages });
      return [name, { transform, about: { ...aboutOf(name), patch } }] as const;
    }),
  );
}
