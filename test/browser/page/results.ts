/** Small results of every kind, which all engines must compute with the same bits. */
import type { TaskRunner } from "../../../src/parallel/job.js";
import type { PriorShelf } from "../../../src/denoising/prior-shelf.js";
import { densities, randomNumbers } from "./computation.js";
import { type Digests, type Values, digestsOf } from "./digest.js";
import { codes, colours, denoising, wavelets, wholeImages } from "./images.js";
import { divergences, models } from "./models.js";
import { numbers } from "./numbers.js";
import { pairs } from "./pairs.js";

type Kind = (runner: TaskRunner, shelf: PriorShelf, seed: string) => Values | Promise<Values>;

const kinds: Readonly<Record<string, Kind>> = {
  numbers,
  "random numbers": (_, __, seed) => randomNumbers(seed),
  densities: (runner, _, seed) => densities(runner, seed),
  pairs: (runner, _, seed) => pairs(runner, seed),
  models: (runner, _, seed) => models(runner, seed),
  divergences: (runner, _, seed) => divergences(runner, seed),
  wavelets: (_, __, seed) => wavelets(seed),
  colours: (_, __, seed) => colours(seed),
  codes: (_, __, seed) => codes(seed),
  "whole images": (runner, _, seed) => wholeImages(runner, seed),
  denoising,
};

export async function resultsOf(
  runner: TaskRunner,
  shelf: PriorShelf,
  seed: string,
): Promise<Digests> {
  const all: Digests = {};
  for (const [kind, compute] of Object.entries(kinds)) {
    Object.assign(all, digestsOf(kind, await compute(runner, shelf, seed)));
  }
  return all;
}
