/** Results for section 4.1 of the paper: bands, pairs of coefficients, fits, mutual information. */
import type { TaskRunner } from "../../../src/parallel/job.js";
import { createRandom } from "../../../src/random/random-stream.js";
import type { Stage } from "../../../src/transforms/transform.js";
import { deadLeaves } from "../../../src/images/dead-leaves.js";
import { histogramInformation } from "../../../src/evaluation/mutual-information/histogram-information.js";
import { nearestNeighbourInformation } from "../../../src/evaluation/mutual-information/nearest-neighbour-information.js";
import { fitSamples } from "../../../src/training/fit-samples.js";
import { fourierTransform2d } from "../../../src/fourier/fourier-transform-2d.js";
import { coefficientPairs } from "../../../src/wavelets/coefficient-pairs.js";
import {
  splitIntoSteerablePyramid,
  steerableBands,
} from "../../../src/wavelets/steerable-pyramid.js";
import { applyRadialMap, fitRadialMap } from "../../../src/transforms/radial-map.js";
import { fitRotationIca } from "../../../src/transforms/rotation-ica.js";
import type { Values } from "./digest.js";

/** Sides with large prime factors, one odd: covers all paths of the Fourier transform. */
const [width, height] = [2 * 47, 61];

export async function pairs(runner: TaskRunner, seed: string): Promise<Values> {
  const image = deadLeaves(createRandom(seed, "scene"), { width, height });
  const spectrum = fourierTransform2d({ width, height, real: Float64Array.from(image.pixels) });
  const bands = steerableBands(image);
  const coarse = splitIntoSteerablePyramid(image, { orientations: 3, scales: 2 });
  const random = createRandom(seed, "places");
  const fromBand = coefficientPairs(bands[1], { dx: 2, dy: -1, count: 3000, random, border: 4 });
  const rotation = fitRotationIca(fromBand);
  const map = fitRadialMap(fromBand, 2);
  const fitted = await fitSamples(runner, fromBand, { dimension: 2, steps: 40, batch: 200 });
  const near = nearestNeighbourInformation(fromBand, { groups: [1000, 1200, 800] });
  const counted = histogramInformation(fromBand, { groups: [1000, 1200, 800] });
  return {
    "spectrum: real": spectrum.real,
    "spectrum: imaginary": spectrum.imaginary,
    ...Object.fromEntries(bands.map(({ values }, k) => [`band ${k}`, values])),
    "coarse band": coarse.bands[1][2].values,
    lowpass: coarse.lowpass.values,
    pairs: fromBand,
    ...parametersOfStages("rotation", rotation.stages),
    "radial map: mean": map.mean,
    "radial map: whitening": map.whitening,
    "radial map: knots": map.knots,
    "radial map: y": applyRadialMap(map, heavyTailedPairs(500, seed)),
    ...parametersOfStages("fit", fitted.stages),
    "radial map of three dimensions": fitRadialMap(heavyTailedPairs(300, seed), 3),
    "information from nearest neighbours": near,
    "information from a histogram": counted,
  };
}

/** Returns all parameters of each stage. */
function parametersOfStages(name: string, stages: readonly Stage[]): Values {
  const found: Values = {};
  stages.forEach((stage, k) => {
    for (const [field, value] of Object.entries(stage)) {
      if (ArrayBuffer.isView(value)) found[`${name}: ${field} of stage ${k}`] = value;
    }
  });
  return found;
}

/** Returns correlated pairs with a common random scale and a mean other than 0. */
function heavyTailedPairs(count: number, seed: string): Float64Array {
  const random = createRandom(seed, "heavy-tailed pairs");
  const x = new Float64Array(2 * count);
  for (let k = 0; k < x.length; k += 2) {
    const scale = 1 / (0.1 + random.uniform());
    const first = random.normal();
    x[k] = 0.5 + scale * first;
    x[k + 1] = scale * (0.6 * first + 0.8 * random.normal());
  }
  return x;
}
