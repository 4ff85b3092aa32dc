/** The numbers that a steerable pyramid can be made with. */
import { expected } from "../errors.js";
import type { Size } from "./steerable-spectrum.js";

/**
 * cos^(N−1) of more orientations differs little from one to the next, and costs as many transforms.
 */
const mostOrientations = 16;

export function requireOrientations(orientations: number): void {
  if (isWithin(orientations, 1, mostOrientations)) return;
  throw expected("orientations", `be an integer from 1 to ${mostOrientations}`, orientations);
}

export function requireOrientation(orientation: number, orientations: number): void {
  if (isWithin(orientation, 0, orientations - 1)) return;
  throw expected("orientation", `be an integer from 0 to ${orientations - 1}`, orientation);
}

export function requireScales(scales: number, image: Size): void {
  const most = mostScales(image);
  if (isWithin(scales, 1, most)) return;
  throw expected("scales", `be an integer from 1 to ${most} for ${sizeOf(image)} pixels`, scales);
}

export function requireScale(scale: number, image: Size): void {
  const most = mostScales(image) - 1;
  if (isWithin(scale, 0, most)) return;
  throw expected("scale", `be an integer from 0 to ${most} for ${sizeOf(image)} pixels`, scale);
}

/**
 * The coarsest scale has at least eight coefficients along the shorter side: fewer hold no octave.
 */
function mostScales(image: Size): number {
  const side = Math.min(image.width, image.height);
  if (!(side >= 8)) throw expected("the image", "be at least 8×8 pixels", sizeOf(image));
  let scales = 1;
  while (2 ** (scales + 3) <= side) scales++;
  return scales;
}

export function sizeOf({ width, height }: Size): string {
  return `${width}×${height}`;
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
