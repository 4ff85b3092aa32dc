/**
 * The layer above a plot that reads values and zooms. It is a slider, so that arrow keys and screen
 * readers read the values too. Mouse: move to read, click to keep, drag to zoom. Touch: drag to
 * read; the page scrolls with vertical swipes, and buttons zoom.
 */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Frame } from "./chart-frame.js";
import { type Interval, nearestIndex } from "./series.js";

export interface Cursor {
  readonly x: number;
  /** It stays when the pointer leaves. */
  readonly isKept: boolean;
}

interface CrosshairProps {
  readonly frame: Frame;
  /** Every x with a value, in order. */
  readonly abscissas: readonly number[];
  readonly cursor: Cursor | null;
  readonly onCursor: (cursor: Cursor | null) => void;
  readonly onZoom: (zoom: Interval | null) => void;
  readonly zoomBy: (factor: number) => void;
  readonly label: string;
  /** "step 200: GDN −0.432, RG −0.41" */
  readonly valueText: string;
}

/** Pixels that a mouse must move for a drag. */
const dragDistance = 6;

export function Crosshair(props: CrosshairProps): VNode {
  const { frame, abscissas, cursor, label, valueText } = props;
  const pointer = usePointer(props);
  const { left, top, right, bottom } = frame;
  const box = { left: `${left}px`, top: `${top}px` };
  const at = cursor?.x ?? abscissas[abscissas.length - 1];
  return (
    <div
      class="crosshair"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={abscissas[0]}
      aria-valuemax={abscissas[abscissas.length - 1]}
      aria-valuenow={at}
      aria-valuetext={valueText}
      style={{ ...box, width: `${right - left}px`, height: `${bottom - top}px` }}
      onKeyDown={(event) => {
        press(event, props);
      }}
      {...pointer.handlers}
    >
      {pointer.dragged && <Selection {...pointer.dragged} />}
    </div>
  );
}

interface Dragged {
  readonly from: number;
  readonly to: number;
}

function Selection({ from, to }: Dragged): VNode {
  const left = Math.min(from, to);
  return <div class="selection" style={{ left: `${left}px`, width: `${Math.abs(to - from)}px` }} />;
}

/** Places are in pixels from the left edge of the plot. */
function usePointer({ frame, abscissas, cursor, onCursor, onZoom }: CrosshairProps) {
  const start = useRef<number | null>(null);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const placeOf = (event: PointerEvent): number =>
    event.clientX - (event.currentTarget as Element).getBoundingClientRect().left;
  const xAt = (place: number): number => frame.x.valueAt(place / (frame.right - frame.left));
  const nearest = (place: number): number => abscissas[nearestIndex({ x: abscissas }, xAt(place))];
  const read = (event: PointerEvent, isKept: boolean): void => {
    onCursor({ x: nearest(placeOf(event)), isKept });
  };
  const finish = (event: PointerEvent): void => {
    const from = start.current;
    start.current = null;
    setDragged(null);
    if (from === null) return;
    const to = placeOf(event);
    if (Math.abs(to - from) < dragDistance) {
      if (cursor?.isKept && cursor.x === nearest(to)) onCursor(null);
      else read(event, true);
    } else onZoom([xAt(Math.min(from, to)), xAt(Math.max(from, to))]);
  };
  const handlers = {
    onPointerDown: (event: PointerEvent): void => {
      if (event.pointerType !== "mouse") read(event, true);
      else if (event.button === 0) {
        start.current = placeOf(event);
        (event.currentTarget as Element).setPointerCapture(event.pointerId);
      }
    },
    onPointerMove: (event: PointerEvent): void => {
      const from = start.current;
      const to = Math.max(0, Math.min(frame.right - frame.left, placeOf(event)));
      if (from !== null && Math.abs(to - from) >= dragDistance) setDragged({ from, to });
      else if (event.pointerType !== "mouse") read(event, true);
      else if (!cursor?.isKept) read(event, false);
    },
    onPointerUp: finish,
    onPointerLeave: (): void => {
      if (cursor && !cursor.isKept) onCursor(null);
    },
    onDblClick: (): void => {
      onZoom(null);
    },
  };
  return { dragged, handlers };
}

function press(event: KeyboardEvent, props: CrosshairProps): void {
  const { abscissas, cursor, onCursor, onZoom, zoomBy } = props;
  const last = abscissas.length - 1;
  const at = cursor ? nearestIndex({ x: abscissas }, cursor.x) : last;
  const large = Math.max(1, Math.round(abscissas.length / 10));
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    PageDown: at - large,
    PageUp: at + large,
    Home: 0,
    End: last,
  };
  const actions: Readonly<Record<string, () => void>> = {
    "+": () => {
      zoomBy(2);
    },
    "-": () => {
      zoomBy(0.5);
    },
    "0": () => {
      onZoom(null);
    },
    Escape: () => {
      onCursor(null);
    },
  };
  const { key } = event;
  if (key in moves) {
    const to = Math.max(0, Math.min(last, moves[key]));
    onCursor({ x: abscissas[to], isKept: true });
  } else if (key in actions) actions[key]();
  else return;
  event.preventDefault();
}
