/** Files by dropping, pasting or choosing them. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

interface FileDropProps {
  /** "Drop a picture here, paste it, or choose one". */
  readonly label: string;
  /** As the attribute of an input: "image/*,.iml". */
  readonly accept: string;
  readonly isMultiple?: boolean;
  /** At least one. */
  readonly onFiles: (files: readonly File[]) => void;
}

export function FileDrop({ label, accept, isMultiple = false, onFiles }: FileDropProps): VNode {
  const [isOver, setOver] = useState(false);
  const take = (list: FileList | null | undefined): void => {
    const files = [...(list ?? [])];
    if (files.length > 0) onFiles(isMultiple ? files : files.slice(0, 1));
  };
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      take(event.clipboardData?.files);
    };
    addEventListener("paste", paste);
    return () => {
      removeEventListener("paste", paste);
    };
  }, [onFiles, isMultiple]);
  return (
    <label
      class={`drop${isOver ? " over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => {
        setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer?.files);
      }}
    >
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
