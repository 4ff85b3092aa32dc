/** Of a file that grows: what is new since the last time. */
import { createHash } from "node:crypto";
import { openContained, readPart } from "./contained-file.js";
import type { MetricsPart } from "../../src/runs/run-description.js";

/** Of an answer: more than a thousand records. */
const mostBytes = 2 ** 18;
/** Before the place where one goes on: a record or two, with their seconds to all digits. */
const markedBytes = 512;

/**
 * Whole lines from byte `from` on. A run that is resumed forgets records, and one that is begun anew has others: what stood
 * before `from` is then no longer what `mark` was made of, and all is sent again.
 */
export async function metricsPart(path: string, from: number, mark: string): Promise<MetricsPart> {
  const opened = await openContained(path);
  if (!opened) return { from: 0, to: 0, mark: "", text: "", hasMore: false };
  const { file, size } = opened;
  try {
    const markAt = async (place: number): Promise<string> => {
      const start = Math.max(0, place - markedBytes);
      return hashOf(await readPart(file, start, place - start));
    };
    const isSame = from > 0 && from <= size && (await markAt(from)) === mark;
    const start = isSame ? from : 0;
    const bytes = await readPart(file, start, Math.min(mostBytes, size - start));
    const length = wholeLines(bytes);
    const to = start + length;
    const text = bytes.toString("utf8", 0, length);
    const hasMore = length > 0 && to < size && bytes.length === mostBytes;
    return { from: start, to, mark: await markAt(to), text, hasMore };
  } finally {
    await file.close();
  }
}

/** A line that is longer than an answer is none of ours: it is passed over. */
function wholeLines(bytes: Buffer): number {
  const length = bytes.lastIndexOf("\n") + 1;
  return length === 0 && bytes.length === mostBytes ? mostBytes : length;
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
}
