/** Copies text to the clipboard, and says so. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

interface CopyButtonProps {
  /** "Copy", or what is copied. */
  readonly label: string;
  /** Name for screen readers, if the label does not say what is copied. */
  readonly name?: string;
  readonly textOf: () => string;
}

type Outcome = "copied" | "failed";

const outcomeWords: Readonly<Record<Outcome, string>> = {
  copied: "Copied",
  failed: "Cannot copy",
};

export function CopyButton({ label, name, textOf }: CopyButtonProps): VNode {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  useEffect(() => {
    if (outcome === null) return undefined;
    const timer = setTimeout(() => {
      setOutcome(null);
    }, 2000);
    return () => {
      clearTimeout(timer);
    };
  }, [outcome]);
  return (
    <span class="copy">
      <button
        type="button"
        {...(name !== undefined && { "aria-label": name })}
        onClick={() => {
          void copy(textOf()).then(setOutcome);
        }}
      >
        {outcome === null ? label : outcomeWords[outcome]}
      </button>
      <span class="unseen" role="status">
        {outcome === null ? "" : outcomeWords[outcome]}
      </span>
    </span>
  );
}

/** Fails on pages that are neither from https nor from this machine: they have no clipboard. */
async function copy(text: string): Promise<Outcome> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    return "failed";
  }
}

/** A command that can be copied. */
export function Command({ text }: { readonly text: string }): VNode {
  return (
    <div class="command">
      <pre>
        <code>{text}</code>
      </pre>
      <CopyButton label="Copy" name="Copy the command" textOf={() => text} />
    </div>
  );
}
