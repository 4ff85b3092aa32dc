/** The commands that make the same files as the page. */
import type { VNode } from "preact";
import type { FitTerms } from "../../../src/runs/fit-terms.js";
import { commandOf } from "./train-settings.js";

interface FitCommandsProps {
  /** Of the settings as they are now. */
  readonly terms: FitTerms;
  /** Of a checkpoint that is open. */
  readonly ofCheckpoint: FitTerms | null;
  /** Of the fit that is shown, which may have had other settings. */
  readonly ofFit: FitTerms | null;
}

export function FitCommands({ terms, ofCheckpoint, ofFit }: FitCommandsProps): VNode {
  if (ofCheckpoint) {
    return (
      <Command
        words="The command with the same bits as this fit when it has gone on"
        command={commandOf(ofCheckpoint)}
      />
    );
  }
  const next = commandOf(terms);
  const shown = ofFit ? commandOf(ofFit) : next;
  if (shown === next) return <Command words="The command with the same bits" command={next} />;
  return (
    <>
      <Command words="The command with the same bits as this fit" command={shown} />
      <Command words="With the settings as they are now" command={next} />
    </>
  );
}

interface CommandProps {
  readonly words: string;
  /** Null where no command names these pictures. */
  readonly command: string | null;
}

function Command({ words, command }: CommandProps): VNode | null {
  if (command === null) return null;
  return (
    <p class="train-command">
      {words}: <code>{command}</code>
    </p>
  );
}
