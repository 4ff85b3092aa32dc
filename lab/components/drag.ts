/** Choosing a place of a figure by mouse, finger or keys. */

/** A place of a figure, from 0 to 1: from the left to the right, and from the top to the bottom. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

type On<E extends Event> = E & { readonly currentTarget: HTMLElement };

/** A finger drags this element only; elsewhere it scrolls the page, and a tap chooses. */
export const handleClass = "drag-handle";

interface DragOptions {
  /** Step of an arrow key; with Shift, four times as far. */
  readonly step?: number;
  /** Whether the mouse needs no pressed button. */
  readonly isHovering?: boolean;
}

/** Returns the properties of an element whose places can be chosen, by dragging or by keys. */
export function dragProperties(
  place: Place,
  onPlace: (place: Place) => void,
  { step = 0.025, isHovering = false }: DragOptions = {},
) {
  const choose = (event: On<MouseEvent>): void => {
    onPlace(placeIn(event.currentTarget, event));
  };
  return {
    onPointerDown: (event: On<PointerEvent>): void => {
      const isOnHandle = event.target instanceof Element && event.target.closest(`.${handleClass}`);
      if (event.button !== 0 || (event.pointerType !== "mouse" && !isOnHandle)) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      choose(event);
    },
    onPointerMove: (event: On<PointerEvent>): void => {
      const isDragged = event.currentTarget.hasPointerCapture(event.pointerId);
      if (isDragged || (isHovering && event.pointerType === "mouse")) choose(event);
    },
    onClick: choose,
    onKeyDown: (event: KeyboardEvent): void => {
      const next = placeAfterKey(event.key, place, event.shiftKey ? 4 * step : step);
      if (!next) return;
      event.preventDefault();
      onPlace(next);
    },
  };
}

/** Returns the place of a pointer in an element; the nearest one if the pointer is outside. */
export function placeIn(element: HTMLElement, { clientX, clientY }: MouseEvent): Place {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: clamped((clientX - left) / width), y: clamped((clientY - top) / height) };
}

/** Returns the place that an arrow key leads to; null for other keys. */
export function placeAfterKey(key: string, { x, y }: Place, step: number): Place | null {
  const steps: Readonly<Record<string, Place>> = {
    ArrowLeft: { x: x - step, y },
    ArrowRight: { x: x + step, y },
    ArrowUp: { x, y: y - step },
    ArrowDown: { x, y: y + step },
  };
  if (!Object.hasOwn(steps, key)) return null;
  return { x: clamped(steps[key].x), y: clamped(steps[key].y) };
}

function clamped(part: number): number {
  return Math.min(1, Math.max(0, part));
}
