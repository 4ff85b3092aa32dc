/** A cloud on its way from the data to the transformed data, by a slider or as an animation. */
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { percent } from "../../src/numbers/format-number.js";
import { Button, Slider } from "../components/controls.js";

interface MorphProps {
  /** Pairs before and after the transform, count×2. */
  readonly from: Float32Array;
  readonly to: Float32Array;
  /** Words for the slider: "From responses to normalised responses". */
  readonly label: string;
  /** Draws the pairs on their way. */
  readonly children: (points: Float32Array, part: number) => VNode;
}

const playMilliseconds = 1600;

export function Morph({ from, to, label, children }: MorphProps): VNode {
  const { part, setPart, play } = useWay();
  const points = useMemo(() => between(from, to, part), [from, to, part]);
  return (
    <div class="morph">
      {children(points, part)}
      <div class="morph-controls">
        <Button onClick={play}>{part < 1 ? "Play" : "Play again"}</Button>
        <Slider
          label={label}
          value={part}
          least={0}
          most={1}
          step={0.01}
          text={percent(part)}
          onChange={setPart}
        />
      </div>
    </div>
  );
}

/** Returns (1 − t) a + t b. */
export function between(a: Float32Array, b: Float32Array, part: number): Float32Array {
  if (part === 1) return b;
  return a.map((value, k) => (1 - part) * value + part * b[k]);
}

/** Returns the place on the way, and a function that plays it once from the beginning. */
function useWay() {
  const [part, setPart] = useState(1);
  const frame = useRef(0);
  const stop = (): void => {
    cancelAnimationFrame(frame.current);
  };
  useEffect(() => stop, []);
  const play = (): void => {
    stop();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      // Without motion, Play switches between both ends.
      setPart(part < 1 ? 1 : 0);
      return;
    }
    const start = performance.now();
    const draw = (now: number): void => {
      const next = Math.min(1, Math.max(0, now - start) / playMilliseconds);
      setPart(next);
      if (next < 1) frame.current = requestAnimationFrame(draw);
    };
    frame.current = requestAnimationFrame(draw);
  };
  const choose = (next: number): void => {
    stop();
    setPart(next);
  };
  return { part, setPart: choose, play };
}
