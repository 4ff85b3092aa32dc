/**
 * Two pictures on top of each other, divided by a movable line. An invisible range input moves it,
 * so that mouse, touch, keyboard and screen readers all work.
 */
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useIsOpen } from "../is-open.js";

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
}

export function Comparison({ left, right, width, height, zoom }: ComparisonProps): VNode {
  const [percent, setPercent] = useState(50);
  const split = right ? percent : 100;
  const { box, noteMiddle } = useSameMiddle([zoom, width, height]);
  return (
    <div
      ref={box}
      class="comparison"
      data-zoom={zoom ?? "fit"}
      {...(zoom !== null && { role: "region", "aria-label": "Scrollable pictures", tabIndex: 0 })}
      onScroll={noteMiddle}
    >
      <div
        class="pair"
        style={{
          aspectRatio: `${width} / ${height}`,
          width: zoom === null ? "100%" : `${zoom * width}px`,
          "--split": `${split}%`,
        }}
      >
        {right && <BlobImage picture={right} width={width} height={height} />}
        <BlobImage picture={left} width={width} height={height} isCut />
        {right && (
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
                setPercent(currentTarget.valueAsNumber);
              }}
            />
            <span class="line" aria-hidden="true" />
            <span class="tag right" aria-hidden="true">
              {right.label}
            </span>
          </>
        )}
        <span class="tag" aria-hidden="true">
          {left.label}
        </span>
      </div>
    </div>
  );
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

interface BlobImageProps {
  readonly picture: ComparedPicture;
  readonly width: number;
  readonly height: number;
  readonly isCut?: boolean;
}

function BlobImage({ picture, width, height, isCut = false }: BlobImageProps): VNode {
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

/** Returns an object URL of a blob, null at first. Revokes it with the blob or the component. */
export function useBlobAddress(blob: Blob | null): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!blob) return undefined;
    const made = URL.createObjectURL(blob);
    setAddress(made);
    return () => {
      URL.revokeObjectURL(made);
    };
  }, [blob]);
  return address;
}
