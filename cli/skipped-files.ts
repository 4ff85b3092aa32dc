/** Files in folders that look like pictures but cannot be read: one line names their kinds. */
import { extname, resolve } from "node:path";
import { findImages } from "../node/find-images.js";
import { knownEndings } from "../node/image-endings.js";
import type { Effects } from "./effects.js";
import { counted, oneLine } from "./text.js";

export class SkippedFiles {
  private readonly paths = new Set<string>();

  /** `archives`: whether the command reads tar archives. */
  constructor(private readonly archives = false) {}

  readonly add = (path: string): void => {
    this.paths.add(resolve(path));
  };

  /** Prints "Skipped 3 files (2 .gif, 1 .heic): names in folders must end in .png, .jpg …". */
  tell({ stderr }: Pick<Effects, "stderr">): void {
    if (this.paths.size === 0) return;
    const kinds = new Map<string, number>();
    for (const path of [...this.paths].sort()) {
      const ending = extname(path).toLowerCase();
      kinds.set(ending, (kinds.get(ending) ?? 0) + 1);
    }
    const counts = [...kinds].map(([ending, count]) => `${count} ${ending}`).join(", ");
    stderr.write(
      `Skipped ${counted(this.paths.size, "file")} (${oneLine(counts)}): names in folders must end in ${knownEndings(this.archives)}.\n`,
    );
  }
}

/** Returns the images that patterns name. With `effects`, prints which files are skipped. */
export async function imagesAt(
  patterns: readonly string[],
  effects: Effects | undefined,
): Promise<string[]> {
  const skipped = new SkippedFiles(true);
  const paths = await findImages(patterns, { onPassedOver: skipped.add });
  if (effects) skipped.tell(effects);
  return paths;
}
