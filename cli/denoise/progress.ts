/** One line for all pictures, which count by their pixels. */
import { basename } from "node:path";
import { pictureSize } from "../../node/decode-picture.js";
import type { Effects } from "../effects.js";
import { Progress } from "../progress.js";
import { oneLine, thousands } from "../text.js";

export class DenoisingProgress {
  private readonly progress: Progress;
  private readonly start: number;
  private before = 0;

  private constructor(
    private readonly effects: Effects,
    private readonly paths: readonly string[],
    private readonly pixels: readonly number[],
  ) {
    const total = pixels.reduce((sum, count) => sum + count, 0);
    this.progress = new Progress(effects, "denoise pixels", total);
    this.start = effects.now();
  }

  static async open(effects: Effects, paths: readonly string[]): Promise<DenoisingProgress> {
    const pixels: number[] = [];
    for (const path of paths) {
      // What cannot be read takes no time; .iml files, which have no header, are of one size.
      const size = await pictureSize(path).catch(() => ({ width: 1, height: 1 }));
      pixels.push(size.width * size.height);
    }
    return new DenoisingProgress(effects, paths, pixels);
  }

  /** Of picture k, the part that is done. */
  report(k: number, part: number): void {
    const done = Math.round(this.before + part * this.pixels[k]);
    const seconds = (this.effects.now() - this.start) / 1000;
    const rate = thousands(Number((done / seconds).toPrecision(2)));
    const place = this.paths.length === 1 ? "" : ` (${k + 1} of ${this.paths.length})`;
    const name = `${oneLine(basename(this.paths[k]))}${place}`;
    this.progress.report(done, `${name}, ${rate} pixels/s`);
  }

  /** Picture k is done, or will not be. */
  finishPicture(k: number): void {
    this.before += this.pixels[k];
    this.clear();
  }

  clear(): void {
    this.progress.finish();
  }
}
