import { expect, test } from "vitest";
import { warningText as commandText } from "../../cli/denoise/text.js";
import { warningText } from "../../lab/panels/denoise/words.js";

test.each([
  [{ kind: "texture" } as const, "white noise"],
  [{ kind: "jpeg" } as const, "JPEG"],
  [{ kind: "few pixels", width: 300, height: 1 } as const, "300×1 pixels"],
])(
  "the lab and the command name the cause of a doubtful estimate and the remedy: %o",
  (warning, cause) => {
    expect(warningText(warning)).toContain(cause);
    expect(warningText(warning)).toMatch(/enter it\.$/);
    const [kind, sentence] = commandText(warning, { source: "scan.jpg" });
    expect(kind).toBe(warning.kind);
    expect(sentence).toMatch(/^scan\.jpg: /);
    expect(sentence).toContain(cause);
    expect(sentence).toContain("--sigma");
  },
);
