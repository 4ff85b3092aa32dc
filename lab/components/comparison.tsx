/**
 * Two pictures on top of each other, divided by a movable line, or their difference. An invisible
 * range input moves the line, so that mouse, touch, keyboard and screen readers all work.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useIsOpen } from "../is-open.js";
import { addressOfBlob, releaseBlob } from "./blob-addresses.js";
import { type Place, placeIn } from "./drag.js";

export interface ComparedPicture {
  readonly label: string;
  /** Image file. The browser decodes it outside the page's thread. */
  readonly file: Blob;
}

interface ComparisonProps {
  readonly left: ComparedPicture;
  /** Null: nothing to compare with. */
  readonly right: ComparedPicture | null;
  readonly width: number;
  readonly height: number;
  /** Screen pixels per picture pixel; null: fit the width. */
  readonly zoom: number | null;
  /** Shows |left − right| times this factor; null (default) divides the pictures by a line. */
  readonly gain?: number | null;
  /** Elements at places of the pictures. */
  readonly over?: ComponentChildren;
  /** Receives the place of the picture under the pointer. */
  readonly onPoint?: (place: Place, isLow: boolean) => void;
  /** Drawn over the pictures, which scroll below it. */
  readonly children?: ComponentChildren;
}

export function Comparison(props: ComparisonProps): VNode {
  const { left, right, width, height, zoom, gain = null, over, onPoint, children } = props;
  const [percent, setPercent] = useState(50);
  const isDivided = right !== null && gain === null;
  const { box, noteMiddle } = useSameMiddle([zoom, width, height]);
  const size = { width, height };
  return (
    <div class="compared">
      <div
        ref={box}
        class="comparison"
        data-zoom={zoom ?? "fit"}
        {...(zoom !== null && {
          role: "region",
          "aria-label": "Scrollable pictures",
          tabIndex: 0,
        })}
        onScroll={noteMiddle}
      >
        <div
          class="pair"
          style={{
            aspectRatio: `${width} / ${height}`,
            width: zoom === null ? "100%" : `${zoom * width}px`,
            "--split": `${isDivided ? percent : 100}%`,
          }}
          onPointerMove={(event) => {
            onPoint?.(placeIn(event.currentTarget, event), isLowIn(box.current, event));
          }}
        >
          {gain !== null && right ? (
            <Difference left={left} right={right} gain={gain} {...size} />
          ) : (
            <>
              {right && <BlobImage picture={right} {...size} />}
              <BlobImage picture={left} {...size} isCut />
            </>
          )}
          {over}
          {isDivided && (
            <DividingLine left={left} right={right} percent={percent} onMove={setPercent} />
          )}
          <span class="tag" aria-hidden="true">
            {gain !== null && right ? `difference × ${gain}` : left.label}
          </span>
        </div>
      </div>
      {children}
    </div>
  );
}

interface DividingLineProps {
  readonly left: ComparedPicture;
  readonly right: ComparedPicture;
  readonly percent: number;
  readonly onMove: (percent: number) => void;
}

function DividingLine({ left, right, percent, onMove }: DividingLineProps): VNode {
  return (
    <>
      <input
        type="range"
        min={0}
        max={100}
        step={0.5}
        value={percent}
        aria-label={`${left.label} on the left, ${right.label} on the right: move the line between them`}
        aria-valuetext={`${Math.round(percent)} % ${left.label}`}
        onInput={({ currentTarget }) => {
          onMove(currentTarget.valueAsNumber);
        }}
      />
      <span class="line" aria-hidden="true" />
      {/* With a key, another label is another element, which does not move. */}
      <span key={right.label} class="tag right" aria-hidden="true">
        {right.label}
      </span>
    </>
  );
}

/** Returns whether the pointer is in the lower half of the visible part of an element. */
function isLowIn(element: HTMLElement | null, { clientY }: MouseEvent): boolean {
  if (!element) return false;
  const { top, bottom } = element.getBoundingClientRect();
  return 2 * clientY > Math.max(top, 0) + Math.min(bottom, innerHeight);
}

/** Keeps the same point in the middle of a scrolled box when its picture is resized. */
function useSameMiddle(sizes: readonly (number | null)[]) {
  const box = useRef<HTMLDivElement>(null);
  const isOpen = useIsOpen();
  /** Fractions of the picture's width and height. */
  const middle = useRef({ x: 0.5, y: 0.5 });
  const noteMiddle = (): void => {
    const { current } = box;
    if (!current) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight } = current;
    // A picture that fits is not scrolled.
    if (scrollWidth <= clientWidth && scrollHeight <= clientHeight) return;
    middle.current = {
      x: (scrollLeft + clientWidth / 2) / scrollWidth,
      y: (scrollTop + clientHeight / 2) / scrollHeight,
    };
  };
  useLayoutEffect(() => {
    const { current } = box;
    // A hidden box has no size, and some browsers forget its scroll position.
    if (!current || !isOpen) return;
    const { x, y } = middle.current;
    current.scrollLeft = x * current.scrollWidth - current.clientWidth / 2;
    current.scrollTop = y * current.scrollHeight - current.clientHeight / 2;
  }, [isOpen, ...sizes]);
  return { box, noteMiddle };
}

interface PictureSize {
  readonly width: number;
  readonly height: number;
}

interface DifferenceProps extends PictureSize {
  readonly left: ComparedPicture;
  readonly right: ComparedPicture;
  readonly gain: number;
}

/** The browser blends both images, so the difference takes no memory and no time of a worker. */
export function Difference({ left, right, gain, ...size }: DifferenceProps): VNode {
  return (
    <div class="difference" style={{ filter: `brightness(${gain})` }}>
      <BlobImage picture={right} {...size} />
      <BlobImage picture={left} {...size} />
    </div>
  );
}

interface BlobImageProps extends PictureSize {
  readonly picture: ComparedPicture;
  readonly isCut?: boolean;
}

export function BlobImage({ picture, width, height, isCut = false }: BlobImageProps): VNode {
  const address = useBlobAddress(picture.file);
  return (
    <img
      src={address ?? undefined}
      class={isCut ? "cut" : ""}
      width={width}
      height={height}
      alt={picture.label}
      decoding="async"
      draggable={false}
    />
  );
}

/** Returns an object URL of a blob, null at first, for as long as the component shows the blob. */
export function useBlobAddress(blob: Blob | null): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return undefined;
    setAddress(addressOfBlob(blob));
    return () => {
      releaseBlob(blob);
    };
  }, [blob]);
  return address;
}
