import { describe, test } from "vitest";
import { seed } from "../support/seed.js";
import { expectUsefulDefault } from "../support/unusual-cases.js";
import { unusualNames } from "../support/unusual-pictures.js";

describe(`denoising of all drawn pictures (seed ${seed})`, () => {
  const cases = unusualNames.flatMap((name) => [15, 25, 50].map((level) => [name, level] as const));

  test.each(cases)("the default suits: %s, σ = %d", async (name, level) => {
    await expectUsefulDefault(name, level, 96);
  });
});
