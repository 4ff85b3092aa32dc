/** A part of the page that takes files wherever they are dropped on it. */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";

interface DropAreaProps {
  /** At least one. */
  readonly onFiles: (files: readonly File[]) => void;
  readonly children: ComponentChildren;
}

/** What lands in a box for files inside is the box's. */
export function DropArea({ onFiles, children }: DropAreaProps): VNode {
  const [isOver, setOver] = useState(false);
  return (
    <div
      class={`drop-area${isOver ? " over" : ""}`}
      onDragOver={(event) => {
        // Texts may go into fields.
        const isOurs = event.dataTransfer?.types.includes("Files") && !event.defaultPrevented;
        if (isOurs) event.preventDefault();
        setOver(isOurs ?? false);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        // Those from one thing inside to the next are none.
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)))
          setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        const files = [...(event.dataTransfer?.files ?? [])];
        if (event.defaultPrevented || files.length === 0) return;
        event.preventDefault();
        onFiles(files);
      }}
    >
      {children}
    </div>
  );
}
