/** Input for files: drop, paste or choose them. */
import type { VNode } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { handed } from "../hand-over.js";
import { PanelName, useIsOpen } from "../is-open.js";

interface FileDropProps {
  /** "Drop a picture here, paste it, or choose one" */
  readonly label: string;
  /** File types to choose from: "image/*,.iml" */
  readonly accept: string;
  readonly isMultiple?: boolean;
  /** Called with at least one file. */
  readonly onFiles: (files: readonly File[]) => void;
}

/** Takes files dropped or pasted anywhere on the page while its panel is open: one per panel. */
export function FileDrop({ label, accept, isMultiple = false, onFiles }: FileDropProps): VNode {
  const take = (list: FileList | null | undefined): void => {
    const files = [...(list ?? [])];
    if (files.length > 0) onFiles(isMultiple ? files : files.slice(0, 1));
  };
  const isOver = useFilesOfPage(take);
  useHandedFile(onFiles);
  return (
    <label class={`drop${isOver ? " over" : ""}`}>
      {/* Files may be dropped anywhere, so the whole page shows it. */}
      {isOver && <span class="drop-page" aria-hidden="true" />}
      <span>{label}</span>
      <input
        type="file"
        accept={accept}
        multiple={isMultiple}
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          // Lets the user choose the same file again.
          currentTarget.value = "";
        }}
      />
    </label>
  );
}

/** Takes a file that another panel hands over. */
function useHandedFile(onFiles: FileDropProps["onFiles"]): void {
  const isOpen = useIsOpen();
  const waiting = handed.value;
  const panel = useContext(PanelName);
  const isForThis = isOpen && waiting?.to === panel;
  useEffect(() => {
    if (!isForThis) return;
    handed.value = null;
    onFiles([waiting.file]);
  }, [isForThis]);
}

/** Takes files from the whole page. Returns whether files are being dragged over it. */
function useFilesOfPage(take: (list: FileList | null | undefined) => void): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  const isOpen = useIsOpen();
  useEffect(() => {
    if (!isOpen) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    // On the document, which gets events before the window; the window ignores unclaimed drops.
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
      // Null only when the files leave the page, not between two elements.
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

/** Text is left to the fields. */
function hasFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") ?? false;
}
