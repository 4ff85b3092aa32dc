import { describe, expect, test } from "vitest";
import { warningText as commandText } from "../../cli/denoise/text.js";
import { warningText } from "../../lab/panels/denoise/words.js";

describe("warnings of doubtful estimates", () => {
  test.each([
    [{ kind: "texture" } as const, "looks like white noise"],
    [{ kind: "jpeg" } as const, "JPEG has changed"],
    [{ kind: "few pixels", width: 300, height: 1 } as const, "300×1 pixels are few"],
  ])("name the cause and what to do, in the lab and in the command: %o", (warning, cause) => {
    expect(warningText(warning)).toContain(cause);
    expect(warningText(warning)).toMatch(/if you know σ, give it\.$/);
    const [kind, sentence] = commandText(warning, { source: "scan.jpg" });
    expect(kind).toBe(warning.kind);
    expect(sentence).toMatch(/^scan\.jpg: /);
    expect(sentence).toContain(cause);
    expect(sentence).toMatch(/if you know it, give --sigma\.$/);
  });
});
