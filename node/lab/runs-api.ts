/**
 * Requests of the page about the runs in a folder:
 *
 *   /api/runs                              all runs, with their last figures
 *   /api/runs/NAME/metrics?from=0&mark=    lines of metrics.jsonl from byte `from` on
 *   /api/runs/NAME/model                   preview.safetensors if it exists, otherwise
 *                                          model.safetensors
 *
 * NAME is compared with the names of the runs that the server has found, as encodeURIComponent
 * writes them. No part of a request becomes part of a path.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { MetricsPart, RunList } from "../../src/runs/run-description.js";
import { readFully } from "../files.js";
import { fileNames } from "../run-folder.js";
import { type Answer, json, sentence, uncached } from "./answer.js";
import { openContained } from "./contained-file.js";
import { type FoundRun, RunDescriber, findRuns } from "./runs.js";

/** Milliseconds for which several pages get the same answer. */
const freshFor = 500;
/** Largest model that the page accepts, in bytes. */
const mostOfModel = 2 ** 28;

export class RunsApi {
  private readonly describer = new RunDescriber();
  private readonly find = shared(() => findRuns(this.root));
  private readonly list = shared(() => this.makeList());

  /** `root` is a path without links, `folder` its name in the page. */
  constructor(
    private readonly root: string,
    private readonly folder: string,
  ) {}

  /** Returns undefined if the path is none of these. */
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

  private async makeList(): Promise<RunList> {
    const { runs, isComplete } = await this.find();
    const described = [];
    // One after the other: hundreds of runs must not need hundreds of open files.
    for (const run of runs) described.push((await this.describer.describe(run)) ?? []);
    return { folder: this.folder, runs: described.flat(), isComplete };
  }
}

/** Returns a function that repeats its last result while it is fresh. */
function shared<Result>(compute: () => Promise<Result>): () => Promise<Result> {
  let last: { readonly at: number; readonly result: Promise<Result> } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.at > freshFor) last = { at: now, result: compute() };
    return last.result;
  };
}

/** Answers the list of runs for a server without a folder of runs. */
export function withoutRuns(path: string): Answer | undefined {
  const list: RunList = { folder: null, runs: [], isComplete: true };
  return path === "/api/runs" ? json(list) : undefined;
}

function encodedName({ name }: FoundRun): string | undefined {
  try {
    return encodeURIComponent(name);
  } catch {
    // A name that is not valid Unicode has no address.
    return undefined;
  }
}

async function answerMetrics({ folder }: FoundRun, query: string): Promise<Answer> {
  const asked = new URLSearchParams(query);
  const from = Number(asked.get("from") ?? 0);
  if (!Number.isSafeInteger(from) || from < 0) {
    return sentence(400, "`from` must be a number of bytes.");
  }
  return json(await metricsPart(join(folder, fileNames.metrics), from, asked.get("mark") ?? ""));
}

async function answerModel({ folder }: FoundRun): Promise<Answer> {
  const opened =
    (await openContained(join(folder, fileNames.preview))) ??
    (await openContained(join(folder, fileNames.model)));
  if (!opened) return sentence(404, "There is no model yet: the fit has just started.");
  const { file, size } = opened;
  if (size > mostOfModel) {
    await file.close();
    return sentence(404, "The model is too large for a page.");
  }
  const headers = uncached("application/octet-stream");
  return { status: 200, headers, body: { file, length: size } };
}

/** Longest text of an answer in bytes: more than a thousand records. */
const mostBytes = 2 ** 18;
/** Number of bytes before `from` that the mark identifies: one or two records. */
const markedBytes = 512;

/**
 * Returns whole lines from byte `from` on. A resumed run drops records, and a restarted one has
 * others. The bytes before `from` then no longer match `mark`, and everything is sent again.
 */
export async function metricsPart(path: string, from: number, mark: string): Promise<MetricsPart> {
  const opened = await openContained(path);
  if (!opened) return { from: 0, to: 0, mark: "", text: "", hasMore: false };
  const { file, size } = opened;
  try {
    const markAt = async (place: number): Promise<string> => {
      const start = Math.max(0, place - markedBytes);
      return hashOf(await readFully(file, start, place - start));
    };
    const isSame = from > 0 && from <= size && (await markAt(from)) === mark;
    const start = isSame ? from : 0;
    const bytes = await readFully(file, start, Math.min(mostBytes, size - start));
    const length = wholeLines(bytes);
    const to = start + length;
    const text = bytes.toString("utf8", 0, length);
    const hasMore = length > 0 && to < size && bytes.length === mostBytes;
    return { from: start, to, mark: await markAt(to), text, hasMore };
  } finally {
    await file.close();
  }
}

/** Returns the length of the whole lines. Skips a line that is longer than an answer. */
function wholeLines(bytes: Buffer): number {
  const length = bytes.lastIndexOf("\n") + 1;
  return length === 0 && bytes.length === mostBytes ? mostBytes : length;
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
}
