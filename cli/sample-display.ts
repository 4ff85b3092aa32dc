/** Samples as people see them. */
import type { FloatArray, ModelAbout } from "../src/index.js";

/** Densities of images have heavy tails, of which a picture shows nothing. */
export function tailsOf(x: FloatArray, { patch }: ModelAbout): string {
  const { black, white } = patch ?? {};
  if (black === undefined || white === undefined) return "";
  let outside = 0;
  for (const value of x) if (value < black || value > white) outside++;
  if (outside === 0) return "";
  const share = ((100 * outside) / x.length).toPrecision(2);
  return `, ${share} % of the values beyond black (${black}) or white (${white})`;
}
