/** A square to draw a cloud in, by mouse, finger or keys. */
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { thousands } from "../../../src/numbers/format-number.js";
import { Button } from "../../components/controls.js";
import { placeAfterKey } from "../../components/drag.js";
import type { Point } from "../../plane/plane-job.js";
import { PlanePlot } from "../../plane/plane-plot.js";
import { reach } from "../../plane/reach.js";
import { type Cloud, exampleCloud, fewestDrawn, sprayed } from "./drawn-cloud.js";

interface DrawCloudProps {
  readonly cloud: Cloud;
  /** Called at the end of a stroke. */
  readonly onChange: (cloud: Cloud) => void;
}

const none: Cloud = [];

export function DrawCloud({ cloud, onChange }: DrawCloudProps): VNode {
  const pad = useDrawing(cloud, onChange);
  const points = useMemo(() => Float32Array.from(pad.drawn), [pad.drawn]);
  const count = pad.drawn.length / 2;
  const missing = fewestDrawn - count;
  return (
    <div class="draw-cloud">
      <div
        class="draw-pad"
        role="application"
        tabIndex={0}
        aria-label="Draw a cloud: drag over the square, or move with the arrow keys and press Space"
        {...pad.properties}
      >
        <PlanePlot points={points} marker={pad.cursor} description="The points that you drew" />
      </div>
      <div>
        <p role="status">
          {missing > 0
            ? `Draw a cloud: drag over the square. ${missing} more points are needed.`
            : `${thousands(count)} points. Add more, or fit a model.`}
        </p>
        <p>With the keyboard, the arrow keys move the brush and Space adds points.</p>
        <div class="buttons">
          <Button
            onClick={() => {
              onChange(exampleCloud());
            }}
          >
            Draw an example
          </Button>
          <Button
            disabled={count === 0}
            onClick={() => {
              onChange(none);
            }}
          >
            Clear
          </Button>
        </div>
      </div>
    </div>
  );
}

type On<E extends Event> = E & { readonly currentTarget: HTMLElement };

/** Keeps a stroke while it is drawn, and the brush of the keyboard. */
function useDrawing(cloud: Cloud, onChange: (cloud: Cloud) => void) {
  const [drawn, setDrawn] = useState(cloud);
  const [cursor, setCursor] = useState<Point | null>(null);
  const latest = useRef(cloud);
  useEffect(() => {
    latest.current = cloud;
    setDrawn(cloud);
  }, [cloud]);
  const spray = (at: Point): void => {
    latest.current = sprayed(latest.current, at);
    setDrawn(latest.current);
  };
  const end = (): void => {
    onChange(latest.current);
  };
  const properties = {
    onPointerDown: (event: On<PointerEvent>): void => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      setCursor(null);
      spray(pointOf(event));
    },
    onPointerMove: (event: On<PointerEvent>): void => {
      if (event.currentTarget.hasPointerCapture(event.pointerId)) spray(pointOf(event));
    },
    onPointerUp: end,
    onPointerCancel: end,
    onKeyDown: (event: KeyboardEvent): void => {
      const [x, y] = cursor ?? [0, 0];
      if (event.key === " " || event.key === "Enter") {
        event.preventDefault();
        setCursor([x, y]);
        spray([x, y]);
        end();
        return;
      }
      const place = { x: (x / reach + 1) / 2, y: (1 - y / reach) / 2 };
      const next = placeAfterKey(event.key, place, event.shiftKey ? 0.1 : 0.025);
      if (!next) return;
      event.preventDefault();
      setCursor([reach * (2 * next.x - 1), reach * (1 - 2 * next.y)]);
    },
  };
  return { drawn, cursor, properties };
}

function pointOf(event: On<PointerEvent>): Point {
  const box = event.currentTarget.getBoundingClientRect();
  return [
    reach * ((2 * (event.clientX - box.left)) / box.width - 1),
    reach * (1 - (2 * (event.clientY - box.top)) / box.height),
  ];
}
