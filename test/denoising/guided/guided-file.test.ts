import { describe, expect, test } from "vitest";
import {
  type ExpertField,
  type GuidedDensities,
  expertLength,
  expertOf,
} from "../../../src/denoising/guided/guided-density.js";
import { decodeGuided, encodeGuided } from "../../../src/denoising/guided/guided-file.js";
import { classCount } from "../../../src/denoising/guided/patch-classes.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { expectError } from "../../support/expect-error.js";
import { seed } from "../../support/seed.js";
import { putTogether, takeApart } from "../../support/damaged-model.js";

const bounds = { strengths: [0.1], coherences: [0.3] };
const random = createRandom(seed, "guided file");

/** Densities of 2×2 patches, with numbers from 1 to 2. */
function small(change: Partial<Record<ExpertField, number>> = {}): GuidedDensities {
  return densities({ size: 2 }, change);
}

function densities(
  cells: { readonly size: number; readonly rings?: number },
  change: Partial<Record<ExpertField, number>> = {},
): GuidedDensities {
  const experts = Array.from({ length: classCount(bounds) }, () =>
    expertOf(cells, (field) => {
      const values = Float32Array.from(
        { length: expertLength(field, cells) },
        () => 1 + random.uniform(),
      );
      const first = change[field];
      if (first !== undefined) values[0] = first;
      return values;
    }),
  );
  return { ...cells, noiseLevel: 0.1, scale: 1, shift: 0, bounds, experts };
}

describe("guided densities as files of 16 bits", () => {
  test("are within 2⁻¹¹ of the originals, and keep every bit afterwards", () => {
    const guided = small();
    const bytes = encodeGuided(guided, { name: "small" }, { isHalf: true });
    const { guided: rounded, about } = decodeGuided(bytes);
    rounded.experts.forEach((expert, k) => {
      expert.H.forEach((value, at) => {
        expect(Math.abs(value - guided.experts[k].H[at])).toBeLessThanOrEqual(2 ** -11);
      });
    });
    expect(encodeGuided(rounded, about, { isHalf: true })).toEqual(bytes);
    const { entries, data } = takeApart(bytes);
    expect(Object.values(entries).map(({ dtype }) => dtype)).toEqual(Array(5).fill("F16"));
    expect(2 * data.length).toBe(takeApart(encodeGuided(guided)).data.length);
  });

  test("are rejected if 16 bits cannot hold them", () => {
    const encode = (guided: GuidedDensities) => (): unknown =>
      encodeGuided(guided, {}, { isHalf: true });
    expectError(encode(small({ gamma: 1e5 })), {
      code: "invalid-argument",
      argument: "the tensor gamma",
      phrase: /65504.*100000/,
    });
    expect(encode(small({ beta: 1e-9 }))).toThrow(/beta/);
  });

  test("are rejected with integer parameters", () => {
    const parts = takeApart(encodeGuided(small()));
    parts.entries.beta.dtype = "I32";
    expectError(() => decodeGuided(putTogether(parts), "a.safetensors"), {
      code: "file-damaged",
      argument: "the tensor beta",
      phrase: /^a\.safetensors: .*\d+×4 F16 or F32.*\d+×4 I32/,
    });
  });
});

describe("a file with densities of the last round", () => {
  const both = { ...small(), last: densities({ size: 2, rings: 1 }) };

  test("keeps both bit for bit", () => {
    expect(decodeGuided(encodeGuided(both)).guided).toEqual(both);
  });

  test("is rejected if those of the last round are damaged, with their names", () => {
    const parts = takeApart(encodeGuided(both));
    parts.entries["last.M"].dtype = "I32";
    expectError(() => decodeGuided(putTogether(parts), "a.safetensors"), {
      code: "file-damaged",
      argument: "the tensor last.M",
      phrase: /^a\.safetensors: .*4×12 F16 or F32.*I32/,
    });
    expect(() => encodeGuided({ ...both, last: { ...both.last, rings: 1.5 } })).toThrow(
      /rings.*1\.5/,
    );
  });
});
