/** Live example: a point moves through y-space, and its image patch follows. */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { Slider } from "../../lab/components/controls.js";
import { Notice } from "../../lab/components/notice.js";
import { Picture } from "../../lab/components/picture.js";
import type { SquarePlace } from "../../lab/panels/patches/square-job.js";
import { useJob } from "../../lab/use-task.js";
import { fixed, percent } from "../../src/numbers/format-number.js";
import liveStyle from "./live.css?inline";
import samplesStyle from "./samples-example.css?inline";

export const styles = [liveStyle, samplesStyle];

/** Patches along each side of the map. */
const side = 5;
const map = Array.from({ length: side * side }, (_, k) => ({
  across: (k % side) / (side - 1),
  down: Math.floor(k / side) / (side - 1),
}));
const terms = { model: { kind: "package", name: "gdn" }, seed: 12 } as const;

export function Example(): VNode {
  const [place, setPlace] = useState<SquarePlace>({ across: 0.55, down: 0.65 });
  const all = useJob("sampleOnSquare", { ...terms, places: map, columns: side });
  const here = useJob(
    "sampleOnSquare",
    all.isOld ? null : { ...terms, places: [place], columns: 1 },
  );
  const problem = all.problem ?? here.problem;
  return (
    <div class="live">
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
      <div class="plots">
        <figure>
          <Square place={place} onMove={setPlace}>
            {all.output ? (
              <Picture
                bitmap={all.output.bitmap}
                description="25 patches between four samples of the GDN"
                isPixelated
              />
            ) : (
              <div class="waiting">Loading the model …</div>
            )}
          </Square>
          <figcaption>Normal vectors y between those of four samples. Drag the point.</figcaption>
        </figure>
        <figure>
          {here.output ? (
            <Picture
              bitmap={here.output.bitmap}
              description="The patch x at the point"
              isPixelated
            />
          ) : (
            <div class="waiting" />
          )}
          <figcaption>
            {here.output
              ? `Its patch x, 16×16 pixels. ‖y‖ = ${fixed(here.output.lengths[0], 1)}, as for a normal vector of ${here.output.dimension} numbers.`
              : "Its patch x."}
          </figcaption>
        </figure>
      </div>
      <div class="row">
        <PlaceSlider label="Across" name="across" place={place} onMove={setPlace} />
        <PlaceSlider label="Down" name="down" place={place} onMove={setPlace} />
      </div>
    </div>
  );
}

interface PlaceProps {
  readonly place: SquarePlace;
  readonly onMove: (place: SquarePlace) => void;
}

/** The square is for pointers; the sliders below it are for the keyboard. */
function Square({ place, onMove, children }: PlaceProps & { readonly children: VNode }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const move = ({ clientX, clientY, buttons }: PointerEvent): void => {
    const area = box.current?.getBoundingClientRect();
    if (!area || buttons === 0) return;
    onMove({
      across: between01((clientX - area.left) / area.width),
      down: between01((clientY - area.top) / area.height),
    });
  };
  return (
    <div
      ref={box}
      class="square"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={move}
    >
      {children}
      <span
        class="point"
        style={{ left: `${100 * place.across}%`, top: `${100 * place.down}%` }}
        aria-hidden="true"
      />
    </div>
  );
}

function between01(value: number): number {
  return Math.min(1, Math.max(0, value));
}

function PlaceSlider(
  props: PlaceProps & { readonly label: string; readonly name: keyof SquarePlace },
): VNode {
  const { label, name, place, onMove } = props;
  return (
    <Slider
      label={label}
      value={100 * place[name]}
      least={0}
      most={100}
      text={percent(place[name])}
      onChange={(value) => {
        onMove({ ...place, [name]: value / 100 });
      }}
    />
  );
}
