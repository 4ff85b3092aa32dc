import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { EnginePage } from "./engine.js";

/** Returns the findings of axe-core on a page. The policy of the page does not apply to it. */
export async function violationsIn(page: EnginePage): Promise<string[]> {
  const path = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  return page.evaluate<string[]>(`
    ${await readFile(path, "utf8")};
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(
      ({ id, help, nodes }) =>
        id + " (" + help + "): " + nodes.slice(0, 3).map(({ html }) => html.slice(0, 300)).join("  "),
    );`);
}
