/** A small model of patches, and everything that is computed from a model. */
import { encodeModel } from "../../../src/density/model-files/model-file.js";
import type { GreyImage } from "../../../src/images/grey-image.js";
import type { TaskRunner } from "../../../src/parallel/job.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { densityOf } from "../../../src/density/density-of.js";
import { gaussianize, logProb } from "../../../src/density/induced-density.js";
import { verify } from "../../../src/density/verification/verify.js";
import { evaluate } from "../../../src/evaluation/evaluate.js";
import { filterShapes } from "../../../src/evaluation/filter-shapes.js";
import { componentGaussianity, lengthGaussianity } from "../../../src/evaluation/gaussianity.js";
import { likelihoodMap } from "../../../src/evaluation/likelihood-map.js";
import { poolingFalloff } from "../../../src/evaluation/pooling-falloff.js";
import { layerOf, modelContributions } from "../../../src/evaluation/pooling.js";
import { randomPatches } from "../../../src/patches/image-patches.js";
import { filtersOnPatches, patchesToSamples } from "../../../src/patches/patch-layout.js";
import { klDivergence, kolmogorovSmirnov } from "../../../src/evaluation/divergence.js";
import { klDivergence2d } from "../../../src/evaluation/histogram-2d-divergence.js";
import { densityOnGrid } from "../../../src/evaluation/histogram-2d-model.js";
import { histogram2dOf } from "../../../src/evaluation/histogram-2d.js";
import { histogramOf } from "../../../src/evaluation/histogram.js";
import { chiDistribution, standardNormal } from "../../../src/evaluation/reference-densities.js";
import { fitModel } from "../../../src/training/fit-model.js";
import { startingGdn } from "../../../src/transforms/gdn-start.js";
import { requireReading } from "../../../src/density/model-files/model-reading.js";
import type { Values } from "./digest.js";
import { sceneOf } from "./images.js";

const size = 4;

export async function models(runner: TaskRunner, seed: string): Promise<Values> {
  const images: GreyImage[] = [20, 24, 28].map((side) => sceneOf(seed, side));
  const load = (index: number): Promise<GreyImage> => Promise.resolve(images[index]);
  const layout = { size, removeMean: false };
  const { model, fit } = await fitModel(runner, {
    model: "gdn",
    images: images.length,
    load,
    steps: 25,
    batch: 64,
    seed,
    reading: { luminance: "linear", dequantize: false, layout },
  });
  const patches = randomPatches(createRandom(seed, "patches"), images, size, 200);
  const x = patchesToSamples(patches, requireReading(model).layout);
  const { y } = await gaussianize(runner, model.transform, x);
  const filters = filtersOnPatches(layerOf(model).H, layout);
  const shapes = filterShapes(filters, size);
  const contributions = await modelContributions(runner, model, x);
  const verified = await verify(runner, model.transform, x);
  const bytes = encodeModel(model);
  return {
    "fitted model": bytes,
    "history of the fit": fit.history,
    "mean log p": await logProb(runner, model.transform, x),
    evaluation: await evaluate(
      densityOf(model, runner),
      { images: 3, load },
      { patches: 90, seed },
    ),
    "likelihood map": await likelihoodMap(runner, model, images[0], { stride: 3 }),
    "lengths of y": lengthGaussianity(y, size * size),
    "components of y": componentGaussianity(y, size * size),
    "shapes of filters": shapes,
    "contributions to pools": contributions,
    "pooling over distance": poolingFalloff(contributions, shapes).distance,
    verification: verified,
  };
}

export async function divergences(runner: TaskRunner, seed: string): Promise<Values> {
  const x = createRandom(seed, "pairs").normalFill(new Float64Array(4000));
  const layer = startingGdn({ structure: "general", dimension: 2 });
  const counts = histogramOf(x, { bins: 20, from: -3, to: 3 });
  const square = { bins: 12, from: -4, to: 4 };
  const densities = (places: Float64Array) => logProb(runner, layer, places);
  const at = Float64Array.from({ length: 200 }, (_, k) => k / 20 - 4);
  const chi = chiDistribution(16);
  return {
    "from a normal distribution": klDivergence(counts, standardNormal),
    "Kolmogorov and Smirnov": [kolmogorovSmirnov(x, standardNormal)],
    "of pairs": klDivergence2d(histogram2dOf(x, square), await densityOnGrid(densities, square)),
    "normal density": at.map(standardNormal.density),
    "normal distribution": at.map(standardNormal.cdf),
    "χ density": at.map((value) => chi.density(value + 4)),
    "χ distribution": at.map((value) => chi.survival(value + 4)),
  };
}
