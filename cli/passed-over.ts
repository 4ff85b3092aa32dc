/**
 * Pictures in folders that are none for this program: named in one line rather than missed in
 * silence.
 */
import { extname, resolve } from "node:path";
import { findImages } from "../node/find-images.js";
import { knownEndings } from "../node/image-endings.js";
import type { Effects } from "./effects.js";
import { oneLine } from "./text.js";

export class PassedOver {
  private readonly paths = new Set<string>();

  /** `archives`: whether tar archives are taken for images. */
  constructor(private readonly archives = false) {}

  readonly add = (path: string): void => {
    this.paths.add(resolve(path));
  };

  /** passed over: 3 files (2 .gif, 1 .heic); in folders, names must end in .png, .jpg … */
  tell({ stderr }: Pick<Effects, "stderr">): void {
    const { size } = this.paths;
    if (size === 0) return;
    const kinds = new Map<string, number>();
    for (const path of [...this.paths].sort()) {
      const ending = extname(path).toLowerCase();
      kinds.set(ending, (kinds.get(ending) ?? 0) + 1);
    }
    const counts = [...kinds].map(([ending, count]) => `${count} ${ending}`).join(", ");
    const what = `${size} ${size === 1 ? "file" : "files"} (${oneLine(counts)})`;
    stderr.write(
      `passed over: ${what}; in folders, names must end in ${knownEndings(this.archives)}\n`,
    );
  }
}

/** The images that patterns name; what is passed over is told, if anybody is there to be told. */
export async function imagesAt(
  patterns: readonly string[],
  effects: Effects | undefined,
): Promise<string[]> {
  const passedOver = new PassedOver(true);
  const paths = await findImages(patterns, { onPassedOver: passedOver.add });
  if (effects) passedOver.tell(effects);
  return paths;
}
