/**
 * Two pictures one above the other, with a line to move between them. What moves is a range input,
 * which is there for mouse, fingers, keys and readers of the screen alike; it is invisible, and the
 * line shows where it is.
 */
import type { RefObject, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useIsOpen } from "../is-open.js";

export interface ComparedPicture {
  readonly label: string;
  /** A file that an image element can show: decoded beside the page, not in it. */
  readonly file: Blob;
}

interface ComparisonProps {
  readonly left: ComparedPicture;
  /** Null: there is nothing to compare with. */
  readonly right: ComparedPicture | null;
  readonly width: number;
  readonly height: number;
  /** Pixels of the screen for one of the picture; null: as wide as there is room. */
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
      {...(zoom !== null && {
        role: "region",
        "aria-label": "Pictures, to be scrolled",
        tabIndex: 0,
      })}
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

interface SameMiddle {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly noteMiddle: () => void;
}

/**
 * Where a picture is larger than its box, what is in the middle of the box stays there when the
 * picture gets another size.
 */
function useSameMiddle(sizes: readonly (number | null)[]): SameMiddle {
  const box = useRef<HTMLDivElement>(null);
  const isOpen = useIsOpen();
  /** Fractions of the width and of the height. */
  const middle = useRef({ x: 0.5, y: 0.5 });
  const noteMiddle = (): void => {
    const { current } = box;
    if (!current) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight } = current;
    // As wide as there is room, it has no middle of its own.
    if (scrollWidth <= clientWidth && scrollHeight <= clientHeight) return;
    middle.current = {
      x: (scrollLeft + clientWidth / 2) / scrollWidth,
      y: (scrollTop + clientHeight / 2) / scrollHeight,
    };
  };
  useLayoutEffect(() => {
    const { current } = box;
    // What is hidden has no sizes, and forgets in some browsers where it was scrolled to.
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
      {...(address === null ? {} : { src: address })}
      class={isCut ? "cut" : ""}
      width={width}
      height={height}
      alt={picture.label}
      decoding="async"
      draggable={false}
    />
  );
}

/** Null before the first one; given back when the blob is another, or the component is gone. */
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
