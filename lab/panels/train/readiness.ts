/** Whether the chosen pictures can be fitted, and what the button would do or why it cannot. */
import { type TrainPicture, patchesIn } from "./train-pictures.js";

interface FitChoice {
  readonly pictures: readonly TrainPicture[];
  /** Side of the patches in pixels. */
  readonly side: number;
  /** Pictures are being read. */
  readonly isReading: boolean;
  readonly model: string;
  readonly steps: number;
}

export interface Readiness {
  readonly isReady: boolean;
  readonly text: string;
}

export function readinessOf({ pictures, side, isReading, model, steps }: FitChoice): Readiness {
  const refuse = (text: string): Readiness => ({ isReady: false, text });
  if (isReading || pictures.some(({ look }) => look === null)) return refuse("Loading pictures …");
  if (pictures.length === 0) return refuse("There are no pictures to fit.");
  const small = pictures.filter((picture) => patchesIn(picture, side) === 0);
  const patches = `${side}×${side}`;
  if (small.length === pictures.length) {
    return refuse(`Every picture is smaller than ${patches} pixels. Choose smaller patches.`);
  }
  const skipped = small.length === 0 ? "" : `; skips ${namesOf(small)}: too small`;
  return { isReady: true, text: `${model}, ${patches} pixels, ${steps} steps${skipped}` };
}

function namesOf(pictures: readonly TrainPicture[]): string {
  const more = pictures.length > 2 ? ` and ${pictures.length - 2} more` : "";
  return `${pictures
    .slice(0, 2)
    .map(({ title }) => title)
    .join(", ")}${more}`;
}
