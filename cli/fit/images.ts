/** The images of a fit, looked at one after the other; what cannot be used is named and left out. */
import { type FitTerms, readingOfTerms } from "../../node/fit-terms.js";
import { type ImageSet, openImageSet } from "../../node/index.js";
import type { Effects } from "../effects.js";
import { Progress } from "../progress.js";
import { oneLine } from "../text.js";
import { leastSideOf } from "./cascade.js";

export function openImages(
  terms: FitTerms,
  strict: boolean,
  effects: Effects,
  signal: AbortSignal,
): Promise<ImageSet> {
  const progress = new Progress(effects, "images", terms.images.length);
  const reading = readingOfTerms(terms);
  const layout = { ...reading.layout, size: leastSideOf(terms) };
  const opened = openImageSet(
    terms.images,
    { ...reading, layout },
    {
      seed: terms.seed,
      removeSaturated: terms.removeSaturated,
      strict,
      ...(terms.cascade !== undefined && { pieces: "crops that a fit looks at" }),
      signal,
      onProgress: (done) => {
        progress.report(done);
      },
      onSkipped: ({ reason }) => {
        // Of a single one, the error says it.
        if (terms.images.length === 1) return;
        const { isTerminal } = effects.stderr;
        effects.stderr.write(`${isTerminal ? "\r\u001b[K" : ""}left out: ${oneLine(reason)}\n`);
      },
    },
  );
  return opened.finally(() => progress.finish());
}
