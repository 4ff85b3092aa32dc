/** The photograph, and the responses of two filters under a frame. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { fixed } from "../../../src/numbers/format-number.js";
import type { Bitmap } from "../../components/bitmap.js";
import type { Place } from "../../components/drag.js";
import { Picture } from "../../components/picture.js";
import { filterSide, placeIn } from "./filters.js";
import { FramedPicture } from "./framed-picture.js";
import { photographSize, photographUrl } from "./photograph.js";
import type { Story } from "./responses-job.js";

interface PhotographFigureProps {
  /** Null while it is computed. */
  readonly story: Story | null;
  readonly place: Place;
  readonly onPlace: (place: Place) => void;
}

export function PhotographFigure({ story, place, onPlace }: PhotographFigureProps): VNode {
  return (
    <>
      <FramedPicture
        {...photographSize}
        place={place}
        onPlace={onPlace}
        side={3 * filterSide}
        label="Photograph: drag the frame, or move it with the arrow keys"
      >
        <img
          src={photographUrl}
          {...photographSize}
          alt="A biplane over fields, from above"
          draggable={false}
        />
      </FramedPicture>
      <div class="responses">{story && <ResponseBars story={story} place={place} />}</div>
    </>
  );
}

const names = ["Vertical edges", "Horizontal edges"];
/** Largest response of the bars, in standard deviations. */
const longest = 8;

function ResponseBars({ story, place }: { readonly story: Story; readonly place: Place }): VNode {
  const pixels = useMemo(() => pixelsAt(story, place), [story, place]);
  const responses = responseAt(story, place);
  return (
    <>
      <Picture bitmap={pixels} description="The pixels in the middle of the frame" isPixelated />
      <ul>
        {names.map((name, i) => (
          <li>
            <Picture bitmap={story.filters[i]} description={null} isPixelated />
            <span>{name}</span>
            <svg viewBox={`${-longest} 0 ${2 * longest} 2`} aria-hidden="true">
              <path class="axis" d={`M${-longest},1H${longest}M0,0V2`} />
              <path class="bar" d={`M0,1H${Math.max(-longest, Math.min(longest, responses[i]))}`} />
            </svg>
            <output>{fixed(responses[i], 1)}</output>
          </li>
        ))}
      </ul>
    </>
  );
}

export function responseAt({ responses }: Story, place: Place): readonly [number, number] {
  const { column, row } = placeIn(responses, place);
  const at = 2 * (row * responses.columns + column);
  return [responses.pairs[at], responses.pairs[at + 1]];
}

/** Cuts the pixels under the filters. */
function pixelsAt({ photograph, responses }: Story, place: Place): Bitmap {
  const { column, row } = placeIn(responses, place);
  const rgba = new Uint8ClampedArray(4 * filterSide * filterSide);
  for (let k = 0; k < filterSide; k++) {
    const from = 4 * ((row + k) * photograph.width + column);
    rgba.set(photograph.rgba.subarray(from, from + 4 * filterSide), 4 * k * filterSide);
  }
  return { width: filterSide, height: filterSide, rgba };
}
