/**
 * What the page can ask of the runs in a folder:
 *
 *   /api/runs                              all of them, with their last figures
 *   /api/runs/NAME/metrics?from=0&mark=    lines of metrics.jsonl from there on
 *   /api/runs/NAME/model                   preview.safetensors while there is one, otherwise
 *                                          model.safetensors
 *
 * NAME is compared with the names that the server finds by itself, as encodeURIComponent writes
 * them. No part of a request becomes part of a path.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { MetricsPart, RunList } from "../../src/runs/run-description.js";
import { fileNames } from "../run-folder.js";
import { type Answer, json, sentence } from "./answer.js";
import { openContained, readPart } from "./contained-file.js";
import { RunDescriber } from "./describe-run.js";
import { type FoundRun, type FoundRuns, findRuns } from "./find-runs.js";

/** Of several pages that ask at the same time, one makes the server look. */
const freshFor = 500;
/** As the page takes them. */
const mostOfModel = 2 ** 28;

export class RunsApi {
  private readonly describer = new RunDescriber();
  private found: { readonly at: number; readonly runs: Promise<FoundRuns> } | undefined;
  private listed: { readonly at: number; readonly list: Promise<RunList> } | undefined;

  /** `root` is a path without links; `folder` is what it is called in the page. */
  constructor(
    private readonly root: string,
    private readonly folder: string,
  ) {}

  /** Undefined where the path is none of these. */
  async answer(path: string, query: string): Promise<Answer | undefined> {
    if (path === "/api/runs") return json(await this.list());
    const asked = /^\/api\/runs\/([^/]+)\/(metrics|model)$/.exec(path);
    if (!asked) return undefined;
    const [, name, part] = asked;
    const { runs } = await this.find();
    const run = runs.find((candidate) => encodedName(candidate) === name);
    if (!run) return sentence(404, "There is no such run.");
    return part === "metrics" ? answerMetrics(run, query) : answerModel(run);
  }

  private find(): Promise<FoundRuns> {
    const now = performance.now();
    if (!this.found || now - this.found.at > freshFor) {
      this.found = { at: now, runs: findRuns(this.root) };
    }
    return this.found.runs;
  }

  private list(): Promise<RunList> {
    const now = performance.now();
    if (!this.listed || now - this.listed.at > freshFor) {
      this.listed = { at: now, list: this.makeList() };
    }
    return this.listed.list;
  }

  private async makeList(): Promise<RunList> {
    const { runs, isComplete } = await this.find();
    const described = [];
    // One after the other: a folder of hundreds of runs must not take hundreds of open files.
    for (const run of runs) described.push((await this.describer.describe(run)) ?? []);
    return { folder: this.folder, runs: described.flat(), isComplete };
  }
}

/** What a server without a folder of runs says of them. */
export function withoutRuns(path: string): Answer | undefined {
  const list: RunList = { folder: null, runs: [], isComplete: true };
  return path === "/api/runs" ? json(list) : undefined;
}

function encodedName({ name }: FoundRun): string | undefined {
  try {
    return encodeURIComponent(name);
  } catch {
    // Names that are no Unicode have no address.
    return undefined;
  }
}

async function answerMetrics({ folder }: FoundRun, query: string): Promise<Answer> {
  const asked = new URLSearchParams(query);
  const from = Number(asked.get("from") ?? 0);
  if (!Number.isSafeInteger(from) || from < 0) {
    return sentence(400, "`from` is a number of bytes.");
  }
  return json(await metricsPart(join(folder, fileNames.metrics), from, asked.get("mark") ?? ""));
}

async function answerModel({ folder }: FoundRun): Promise<Answer> {
  const opened =
    (await openContained(join(folder, fileNames.preview))) ??
    (await openContained(join(folder, fileNames.model)));
  if (!opened) return sentence(404, "There is no model yet: the first steps are being made.");
  const { file, size } = opened;
  if (size > mostOfModel) {
    await file.close();
    return sentence(404, "The model is too large for a page.");
  }
  const headers = { "Content-Type": "application/octet-stream", "Cache-Control": "no-store" };
  return { status: 200, headers, body: { file, length: size } };
}

/** Of an answer: more than a thousand records. */
const mostBytes = 2 ** 18;
/** Before the place where one goes on: a record or two, with their seconds to all digits. */
const markedBytes = 512;

/**
 * Whole lines from byte `from` on. A run that is resumed forgets records, and one that is begun
 * anew has others: what stood before `from` is then no longer what `mark` was made of, and all is
 * sent again.
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
