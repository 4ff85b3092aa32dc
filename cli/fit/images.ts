/** The images of a fit, looked at one after the other; what cannot be used is named and left out. */
import { type FitTerms, readingOfTerms } from "../../src/runs/fit-terms.js";
import { isArchive } from "../../node/archives/archive-names.js";
import { type ImageSet, openImageSet } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { whileLooking } from "../progress.js";
import { oneLine } from "../text.js";
import { leastSideOf } from "./cascade.js";

export function openImages(
  terms: FitTerms,
  strict: boolean,
  effects: Effects,
  signal: AbortSignal,
): Promise<ImageSet> {
  const { images, seed, removeSaturated, cascade } = terms;
  const reading = readingOfTerms(terms);
  const layout = { ...reading.layout, size: leastSideOf(terms) };
  // Of a single one, the error says it.
  const isSingle = images.length === 1 && !isArchive(images[0]);
  return whileLooking(effects, images.length, (onProgress) =>
    openImageSet(
      images,
      { ...reading, layout },
      {
        ...{ seed, removeSaturated, strict, signal, onProgress },
        ...(cascade !== undefined && { pieces: "crops that a fit looks at" }),
        onSkipped: ({ reason }) => {
          if (!isSingle) tellLeftOut(reason, effects);
        },
      },
    ),
  );
}

export function tellLeftOut(reason: string, { stderr }: Effects): void {
  stderr.write(`${stderr.isTerminal ? "\r\u001b[K" : ""}left out: ${oneLine(reason)}\n`);
}
