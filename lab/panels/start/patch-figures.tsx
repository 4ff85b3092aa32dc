/** What a density of patches is good for: samples, surprise, and a picture without noise. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { fixed } from "../../../src/numbers/format-number.js";
import type { Place } from "../../components/drag.js";
import { Figure } from "../../components/panel.js";
import { Picture } from "../../components/picture.js";
import { PlanePad } from "../../components/plane-pad.js";
import type { NamedFile } from "../../named-file.js";
import { useJob } from "../../use-task.js";
import { FramedPicture } from "./framed-picture.js";
import type { Cleaned } from "./noise-job.js";
import { patchSide } from "./patch-density.js";
import type { PatchSamples, SurpriseMap } from "./patches-job.js";
import { photographSize, photographUrl } from "./photograph.js";

interface SamplesFigureProps {
  readonly photograph: NamedFile;
  readonly samples: PatchSamples;
}

export function SamplesFigure({ photograph, samples }: SamplesFigureProps): VNode {
  const [place, setPlace] = useState<Place>({ x: 0.9, y: 0.4 });
  const walk = useJob("walkPatches", { photograph, place });
  return (
    <>
      <div class="planes">
        <Figure caption="A plane of y: walk on it with the mouse, a finger or the arrow keys.">
          <PlanePad
            place={place}
            onPlace={setPlace}
            isHovering
            label="Plane of normal vectors: move the point to see its patch"
          >
            <Picture bitmap={samples.plane} description={null} />
          </PlanePad>
        </Figure>
        <Figure caption="The patch at the point.">
          <div class="walk-patch">
            {walk.output && (
              <Picture bitmap={walk.output} description="The patch at the point" isPixelated />
            )}
          </div>
        </Figure>
      </div>
      <div class="planes">
        <Figure caption="64 patches of the photograph.">
          <Picture bitmap={samples.cut} description="Patches of the photograph" isPixelated />
        </Figure>
        <Figure caption="64 samples of the density.">
          <Picture bitmap={samples.drawn} description="Samples of the density" isPixelated />
        </Figure>
      </div>
    </>
  );
}

export function SurpriseFigure({ map }: { readonly map: SurpriseMap }): VNode {
  const [place, setPlace] = useState<Place>({ x: 0.6, y: 0.45 });
  const frame = {
    ...photographSize,
    place,
    onPlace: setPlace,
    side: patchSide,
  };
  return (
    <>
      <div class="planes">
        <FramedPicture {...frame} label="Photograph: drag the frame, or use the arrow keys">
          <img
            src={photographUrl}
            {...photographSize}
            alt="A biplane over fields, from above"
            draggable={false}
          />
        </FramedPicture>
        <FramedPicture
          {...frame}
          label="Map of the surprise: drag the frame, or use the arrow keys"
        >
          <div class="heat">
            <Picture bitmap={map.heat} description="Map: bright where a patch is surprising" />
          </div>
        </FramedPicture>
      </div>
      <p class="figure-words" role="status">
        The patch in the frame has {fixed(natsAt(map, place), 2)} nats per pixel. Dark: likely.
        Bright: surprising.
      </p>
    </>
  );
}

function natsAt({ columns, rows, natsPerPixel }: SurpriseMap, { x, y }: Place): number {
  const along = (part: number, length: number, count: number): number =>
    Math.min(count - 1, Math.max(0, Math.round(part * length - patchSide / 2)));
  const column = along(x, photographSize.width, columns);
  return natsPerPixel[along(y, photographSize.height, rows) * columns + column];
}

export function NoiseFigure({ cleaned }: { readonly cleaned: Cleaned }): VNode {
  const [percent, setPercent] = useState(50);
  const { noisy, clean, noisyPsnrInDecibels, psnrInDecibels } = cleaned;
  const { width, height } = photographSize;
  return (
    <>
      <div
        class="divided"
        style={{ aspectRatio: `${width} / ${height}`, "--split": `${percent}%` }}
      >
        <Picture bitmap={clean} description="Without noise" />
        <div class="cut">
          <Picture bitmap={noisy} description="With noise" />
        </div>
        <input
          type="range"
          min={0}
          max={100}
          step={0.5}
          value={percent}
          aria-label="Noisy on the left, denoised on the right: move the line between them"
          aria-valuetext={`${Math.round(percent)} % noisy`}
          onInput={({ currentTarget }) => {
            setPercent(currentTarget.valueAsNumber);
          }}
        />
        <span class="line" aria-hidden="true" />
      </div>
      <p class="figure-words">
        Left: with noise, PSNR {fixed(noisyPsnrInDecibels, 1)} dB. Right: without,{" "}
        {fixed(psnrInDecibels, 1)} dB.
      </p>
    </>
  );
}
