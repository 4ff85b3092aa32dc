import { GaussianizeError } from "../../src/index.js";

/** Larger ones are none of ours, and would leave no room for anything else. */
const usualMost = 2 ** 28;

/** Of a file that somebody dropped, up to a size; `name` is what an error calls it. */
export async function bytesOfFile(
  file: Blob,
  name: string,
  mostBytes = usualMost,
): Promise<Uint8Array<ArrayBuffer>> {
  if (file.size > mostBytes) throw new GaussianizeError(`${name} is too large for this page.`);
  return new Uint8Array(await file.arrayBuffer());
}
