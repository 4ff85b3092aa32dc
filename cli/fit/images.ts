/** Opens the images of a fit; unusable ones are skipped and named. */
import { type FitTerms, leastSideOf, readingOfTerms } from "../../src/runs/fit-terms.js";
import { openImageSet } from "../../node/image-set.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import type { Effects } from "../effects.js";
import { clearLine, whileOpening } from "../progress.js";
import { oneLine } from "../text.js";

export async function openImages(
  terms: FitTerms,
  strict: boolean,
  effects: Effects,
  signal: AbortSignal,
): Promise<ImageSet> {
  const { images, seed, removeSaturated, cascade } = terms;
  const reading = readingOfTerms(terms);
  const layout = { ...reading.layout, size: leastSideOf(terms) };
  const skipped = new SkippedImages(effects);
  const opening = whileOpening(effects, images.length, (onProgress) =>
    openImageSet(
      images,
      { ...reading, layout },
      {
        seed,
        removeSaturated,
        strict,
        signal,
        onProgress,
        ...(cascade !== undefined && { pieces: "crops that a fit looks at" }),
        onSkipped: ({ reason }) => {
          skipped.add(reason);
        },
      },
    ),
  );
  // For a single image, the error names the reason.
  try {
    const set = await opening;
    if (set.given > 1) skipped.tell();
    return set;
  } catch (error) {
    if (skipped.waiting > 1) skipped.tell();
    throw error;
  }
}

/** Holds reasons back until the set is open, then prints them at once. */
class SkippedImages {
  private held: string[] | null = [];

  constructor(private readonly effects: Effects) {}

  get waiting(): number {
    return this.held?.length ?? 0;
  }

  add(reason: string): void {
    if (this.held) this.held.push(reason);
    else tellSkipped(reason, this.effects);
  }

  tell(): void {
    for (const reason of this.held ?? []) tellSkipped(reason, this.effects);
    this.held = null;
  }
}

export function tellSkipped(reason: string, effects: Effects): void {
  clearLine(effects);
  effects.stderr.write(`skipped: ${oneLine(reason)}\n`);
}
