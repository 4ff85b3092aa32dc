/**
 * A picture beside its likelihood map. The pointer or the arrow keys move a frame over both, and
 * the value of the framed patch is shown.
 */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { Bitmap } from "../../components/bitmap.js";
import { useBlobAddress } from "../../components/comparison.js";
import { Figure } from "../../components/panel.js";
import { Picture } from "../../components/picture.js";
import { writeColour } from "./colour-scale.js";
import type { MappedPicture } from "./map-job.js";
import { fixed } from "../../../src/numbers/format-number.js";

interface LikelihoodPictureProps {
  readonly mapped: MappedPicture;
  /** Index into the map. */
  readonly place: number;
  readonly onChoose: (place: number) => void;
}

export function LikelihoodPicture(props: LikelihoodPictureProps): VNode {
  const { mapped, place } = props;
  const { subject, map, width, height, picture } = mapped;
  const address = useBlobAddress(picture);
  const [column, row] = [place % map.columns, Math.floor(place / map.columns)];
  const [x, y] = [column * map.stride, row * map.stride];
  return (
    <>
      <p class="map-value" role="status">
        {subject === "images" ? "Block" : "Patch"} at ({x}, {y}):{" "}
        <strong>{valueText(map.natsPerDimension[place])}</strong>
      </p>
      <div class="figures">
        <Figure caption="The picture as the model sees it: luminance only.">
          <Places {...props} label="The picture: arrow keys move the frame">
            <img
              src={address ?? undefined}
              width={width}
              height={height}
              alt="The picture"
              draggable={false}
            />
          </Places>
        </Figure>
        <Figure caption={mapCaptionOf(mapped)}>
          <Places {...props} label="The map: arrow keys move the frame">
            <div class="heat" style={heatPlace(mapped)}>
              <Picture bitmap={mapped.heat} description="Likelihood map" isPixelated />
            </div>
          </Places>
          <Legend range={mapped.range} />
        </Figure>
      </div>
    </>
  );
}

function mapCaptionOf({ subject, map: { size } }: MappedPicture): string {
  return subject === "images"
    ? `The map: the share of each ${size}×${size} block in the log-density. Bright places surprise the model. Opposite edges of the picture are joined, so its edges may look surprising.`
    : `The map: log-density of the ${size}×${size} patch around each place. Bright places surprise the model.`;
}

interface PlacesProps extends LikelihoodPictureProps {
  readonly label: string;
  readonly children: VNode;
}

/** Draws the frame, and moves it by pointer and keys. */
function Places({ mapped, place, onChoose, label, children }: PlacesProps): VNode {
  const { map, width, height } = mapped;
  const [column, row] = [place % map.columns, Math.floor(place / map.columns)];
  const go = (nextColumn: number, nextRow: number): void => {
    const c = Math.min(map.columns - 1, Math.max(0, nextColumn));
    const r = Math.min(map.rows - 1, Math.max(0, nextRow));
    onChoose(r * map.columns + c);
  };
  const point = (event: PointerEvent & { readonly currentTarget: HTMLElement }): void => {
    // Touch scrolls; a tap chooses.
    if (event.type === "pointermove" && event.pointerType !== "mouse") return;
    const box = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - box.left) * width) / box.width;
    const y = ((event.clientY - box.top) * height) / box.height;
    const cell = (at: number): number => Math.round((at - map.size / 2) / map.stride);
    go(cell(x), cell(y));
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
      event.key
    ];
    if (!step) return;
    event.preventDefault();
    go(column + step[0], row + step[1]);
  };
  return (
    <div
      class="places"
      role="application"
      aria-label={label}
      tabIndex={0}
      style={{ aspectRatio: `${width} / ${height}` }}
      onPointerMove={point}
      onPointerDown={point}
      onKeyDown={press}
    >
      {children}
      <span
        class="frame"
        aria-hidden="true"
        style={{
          left: `${(100 * (column * map.stride + map.size / 2)) / width}%`,
          top: `${(100 * (row * map.stride + map.size / 2)) / height}%`,
          width: `${(100 * map.size) / width}%`,
          height: `${(100 * map.size) / height}%`,
        }}
      />
    </div>
  );
}

/** Returns the position of the map: each patch colours the stride×stride pixels in its middle. */
function heatPlace({ map, width, height }: MappedPicture): Record<string, string> {
  const margin = (map.size - map.stride) / 2;
  return {
    left: `${(100 * margin) / width}%`,
    top: `${(100 * margin) / height}%`,
    width: `${(100 * map.columns * map.stride) / width}%`,
    height: `${(100 * map.rows * map.stride) / height}%`,
  };
}

const legendSteps = 64;

function Legend({ range: [least, most] }: Pick<MappedPicture, "range">): VNode {
  const bitmap = useMemo<Bitmap>(() => {
    const rgba = new Uint8ClampedArray(4 * legendSteps);
    for (let k = 0; k < legendSteps; k++) writeColour(k / (legendSteps - 1), rgba, 4 * k);
    return { width: legendSteps, height: 1, rgba };
  }, []);
  return (
    <div class="legend">
      <span>likely: {fixed(most, 1)}</span>
      <Picture bitmap={bitmap} description="Colours from likely to surprising" />
      <span>surprising: {fixed(least, 1)} nats per pixel</span>
    </div>
  );
}

function valueText(value: number): string {
  return Number.isNaN(value) ? "no density" : `${fixed(value, 2)} nats per pixel`;
}
