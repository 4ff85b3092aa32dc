import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/density/model-files/json.js";
import { configOf } from "../../cli/fit/config.js";
import { packageVersion } from "../../cli/package.js";

const config: JsonObject = {
  program: packageVersion(),
  fingerprint: "sum",
  window: 4,
  images: ["/a.png"],
  model: "gdn",
  protocol: null,
  patch: 8,
  removeMean: false,
  luminance: "linear",
  noise: true,
  preprocessing: "logistic",
  removeSaturated: false,
  steps: 40,
  batch: 64,
  learningRate: 0.04,
  optimiser: "adam",
  certified: false,
  subspace: 4,
  heldOut: 0.1,
  patience: 5,
  seed: 1,
  fastMath: false,
};

describe("the configuration of a run", () => {
  test("is read as it was written", () => {
    expect(configOf(config, "config.json")).toEqual(config);
  });

  test.for<[change: JsonObject, sentence: string]>([
    [{ steps: -1 }, "Expected steps of config.json to be a whole number of at least 1"],
    [{ model: "network" }, "Expected model of config.json to be one of"],
    [{ images: [] }, "Expected images of config.json to be a list of paths"],
    [{ fingerprint: 3 }, "config.json is incomplete: fingerprint or window is missing."],
    [{ program: "0.0.0", steps: -1 }, 'config.json was written by gaussianize "0.0.0"'],
  ])("is rejected after an edit: %j", ([change, sentence]) => {
    expect(() => configOf({ ...config, ...change }, "config.json")).toThrow(sentence);
  });
});
