import { expect, test } from "vitest";
import { cellCount } from "../../../src/denoising/guided/guide-cells.js";
import {
  type GuidedExpert,
  expertLength,
  expertOf,
} from "../../../src/denoising/guided/guided-density.js";
import { guidedFitJob } from "../../../src/denoising/guided/guided-fit-job.js";
import { parametersOf } from "../../../src/denoising/guided/guided-parameters.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { CropPlaces, cropSide, cropStride } from "../../../src/training/crop-places.js";
import { referenceRunner, simdRunner } from "../../support/inline-runners.js";
import { seed } from "../../support/seed.js";

const settings = { size: 2, rings: 1 };
const crops = { patch: 2, crop: cropSide(2, 3), stride: cropStride(2) };
const places = new CropPlaces(crops);
const mostCrops = 2;
const patches = mostCrops * places.corners.length;
const random = createRandom(seed, "guided fit job");
const normals = (length: number): Float32Array => random.normalFill(new Float32Array(length));

const experts: readonly GuidedExpert[] = Array.from({ length: 3 }, () =>
  expertOf(settings, (field) => {
    const values = normals(expertLength(field, settings));
    if (["H", "M", "G"].includes(field)) return values;
    return values.map((value) => 1 + Math.abs(value));
  }),
);
const task = {
  clean: normals(mostCrops * places.area),
  // All poses of two of the three classes.
  kinds: Uint16Array.from({ length: patches }, (_, k) => (7 * k) % 16),
  noisy: places.patchesOf(normals(mostCrops * places.area)),
  guide: normals(patches * cellCount(2, 1)),
};

function perform(classes: readonly Float32Array[], runner = referenceRunner) {
  const session = guidedFitJob.open(runner.kernels);
  session.share({ rings: 1, classes, variance: 0.25, crops, mostCrops });
  return session.perform(task).result;
}

test("the gradient of a fit is that of half the squared error of the crops", () => {
  const classes = experts.map((expert) => parametersOf(expert, settings));
  const { gradients } = perform(classes);
  expect(gradients.map((sums) => sums === null)).toEqual([false, false, true]);
  // Errors are shared among patches in single precision, so differences must not be too small.
  const step = 2 ** -7;
  classes.slice(0, 2).forEach((own, c) => {
    for (let k = c; k < own.length; k += 5) {
      const at = (t: number): number => {
        const moved = own.slice();
        moved[k] += t;
        const { squares } = perform(classes.map((other, d) => (d === c ? moved : other)));
        return squares / 2;
      };
      const slope = (h: number): number => (at(h) - at(-h)) / (2 * h);
      const expected = (4 * slope(step / 2) - slope(step)) / 3;
      const error = Math.abs((gradients[c] as Float64Array)[k] - expected);
      expect(error).toBeLessThan(2e-3 * (1 + Math.abs(expected)));
    }
  });
});

test("the error of a fit is the same in Float32, up to its precision, and after other parameters", () => {
  const classes = experts.map((expert) => parametersOf(expert, settings));
  const exact = perform(classes);
  const single = perform(classes, simdRunner);
  expect(single.pixels).toBe(exact.pixels);
  expect(Math.abs(single.squares / exact.squares - 1)).toBeLessThan(1e-4);
  const session = guidedFitJob.open(simdRunner.kernels);
  const shared = { rings: 1, variance: 0.25, crops, mostCrops };
  session.share({ ...shared, classes: classes.map((own) => own.map((value) => 2 * value)) });
  session.perform(task);
  session.share({ ...shared, classes });
  expect(session.perform(task).result).toEqual(single);
});
