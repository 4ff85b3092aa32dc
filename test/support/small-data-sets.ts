/** Small data sets in place of the real ones: a test mocks node/data-sums.ts with this module. */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { run } from "../../cli/run.js";
import { recordEffects } from "./commands.js";

const folders = ["kodak", "bsds300/train", "bsds300/test", "bsd68", "vanhateren"];
const numbers = [1, 2, 3, 4, 5, 6];

/** Files by path: kodak/1.png … kodak/6.png, bsds300/train/1.png … */
const contents = new Map(
  folders.flatMap((folder) =>
    numbers.map((k) => [`${folder}/${k}.png`, Buffer.from(`${folder} ${k} `.repeat(1000 * k))]),
  ),
);

export function contentOf(path: string): Buffer {
  const content = contents.get(path);
  if (!content) throw new Error(`There is no ${path} in the small sets.`);
  return content;
}

export function isKnown(path: string): boolean {
  return contents.has(path);
}

/** Same format as node/data-sums.ts. */
export const sumsOfFolders = Object.fromEntries(
  folders.map((folder) => [
    folder,
    numbers
      .map((k) => {
        const content = contentOf(`${folder}/${k}.png`);
        const sum = createHash("sha256").update(content).digest("hex");
        return `${k}.png ${content.length} ${sum}\n`;
      })
      .join(""),
  ]),
);

export async function putFile(folder: string, path: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

export async function putSet(folder: string, name: string): Promise<void> {
  for (const [path, content] of contents)
    if (path.startsWith(`${name}/`)) await putFile(folder, path, content);
}

/** Runs `gaussianize data …` with that data folder. */
export async function runData(folder: string, ...words: string[]) {
  const effects = { ...recordEffects(), environment: { GAUSSIANIZE_DATA: folder } };
  const code = await run(["data", ...words], effects);
  return { code, ...effects.printed };
}
