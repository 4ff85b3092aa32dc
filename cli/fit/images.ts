/**
 * The images of a fit, looked at one after the other; what cannot be used is named and left out.
 */
import { type FitTerms, leastSideOf, readingOfTerms } from "../../src/runs/fit-terms.js";
import { openImageSet } from "../../node/image-set.js";
import type { ImageSet } from "../../src/patches/image-set.js";
import type { Effects } from "../effects.js";
import { whileLooking } from "../progress.js";
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
  const told = new LeftOut(effects);
  const opening = whileLooking(effects, images.length, (onProgress) =>
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
          told.add(reason);
        },
      },
    ),
  );
  // Of a single one, the error says it.
  try {
    const set = await opening;
    if (set.given > 1) told.tell();
    return set;
  } catch (error) {
    if (told.waiting > 1) told.tell();
    throw error;
  }
}

/**
 * Images that are left out: told when it is known whether others are left, and from then on at
 * once.
 */
class LeftOut {
  private held: string[] | null = [];

  constructor(private readonly effects: Effects) {}

  get waiting(): number {
    return this.held?.length ?? 0;
  }

  add(reason: string): void {
    if (this.held) this.held.push(reason);
    else tellLeftOut(reason, this.effects);
  }

  tell(): void {
    for (const reason of this.held ?? []) tellLeftOut(reason, this.effects);
    this.held = null;
  }
}

export function tellLeftOut(reason: string, { stderr }: Effects): void {
  stderr.write(`${stderr.isTerminal ? "\r\u001b[K" : ""}left out: ${oneLine(reason)}\n`);
}
