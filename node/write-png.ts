import { encodePng } from "../src/figures/encode-png.js";
import type { GreyImage } from "../src/images/grey-image.js";
import { writeAtomically } from "./write-atomically.js";

/** Writes values from 0 (black) to 1 (white) as an 8-bit grey PNG, completely or not at all. */
export async function writePng(path: string, image: GreyImage): Promise<void> {
  await writeAtomically(path, encodePng(image));
}
