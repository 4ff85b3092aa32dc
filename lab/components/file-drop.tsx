/** Files by dropping, pasting or choosing them. */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useIsOpen } from "../is-open.js";

interface FileDropProps {
  /** "Drop a picture here, paste it, or choose one". */
  readonly label: string;
  /** Attribute of the input: "image/*,.iml". */
  readonly accept: string;
  readonly isMultiple?: boolean;
  /** At least one. */
  readonly onFiles: (files: readonly File[]) => void;
}

/**
 * A panel has one at most: what is dropped or pasted anywhere on the page, while the panel is open,
 * is for it.
 */
export function FileDrop({ label, accept, isMultiple = false, onFiles }: FileDropProps): VNode {
  const take = (list: FileList | null | undefined): void => {
    const files = [...(list ?? [])];
    if (files.length > 0) onFiles(isMultiple ? files : files.slice(0, 1));
  };
  const isOver = useFilesOfPage(take);
  return (
    <label class={`drop${isOver ? " over" : ""}`}>
      <span>{label}</span>
      <input
        type="file"
        accept={accept}
        multiple={isMultiple}
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          // The same file may be chosen again.
          currentTarget.value = "";
        }}
      />
    </label>
  );
}

/** Whether files are held over the page. */
function useFilesOfPage(take: (list: FileList | null | undefined) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  const isOpen = useIsOpen();
  useEffect(() => {
    if (!isOpen) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    // On the document, which hears of them before the window, where drops that nobody takes are
    // ignored.
    document.addEventListener("dragover", claim, { signal });
    document.addEventListener("dragleave", leave, { signal });
    document.addEventListener("drop", drop, { signal });
    document.addEventListener("paste", paste, { signal });
    function claim(event: DragEvent): void {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    }
    function leave({ relatedTarget }: DragEvent): void {
      // From one element to the next it is still over the page.
      if (relatedTarget === null) setOver(false);
    }
    function drop(event: DragEvent): void {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      latest.current(event.dataTransfer?.files);
    }
    function paste({ clipboardData }: ClipboardEvent): void {
      latest.current(clipboardData?.files);
    }
    return () => {
      controller.abort();
      setOver(false);
    };
  }, [isOpen]);
  return isOver;
}

/** Texts may go into fields. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}
