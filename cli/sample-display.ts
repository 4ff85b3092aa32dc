/** Samples as people see them. */
import {
  type FloatArray,
  type ModelAbout,
  type MosaicOptions,
  linearToSrgb,
} from "../src/index.js";

/** All with the same display scaling: the model's black and white where it has them. What to draw, and how. */
export function shown(
  values: FloatArray,
  { patch }: ModelAbout,
  options: MosaicOptions,
): [FloatArray, MosaicOptions] {
  // Files have encoded values. Without their mean, patches have no place on the curve.
  const { black, white, luminance } = patch ?? {};
  const isLight = luminance === "linear" && black !== undefined && white !== undefined;
  if (!isLight) return [values, { ...options, scale: "all", black, white }];
  const encoded = values.map((v) => linearToSrgb(Math.max(0, (v - black) / (white - black))));
  return [encoded, { ...options, black: 0, white: 1 }];
}

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
