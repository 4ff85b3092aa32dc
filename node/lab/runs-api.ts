/**
 * What the page can ask of the runs in a folder:
 *
 *   /api/runs                              all of them, with their last figures
 *   /api/runs/NAME/metrics?from=0&mark=    lines of metrics.jsonl from there on
 *   /api/runs/NAME/model                   preview.safetensors while there is one, otherwise model.safetensors
 *
 * NAME is compared with the names that the server finds by itself, as encodeURIComponent writes them. No part of a request
 * becomes part of a path.
 */
import { join } from "node:path";
import { fileNames } from "../run-folder.js";
import { type Answer, json, sentence } from "./answer.js";
import { openContained } from "./contained-file.js";
import { RunDescriber } from "./describe-run.js";
import { type FoundRun, type FoundRuns, findRuns } from "./find-runs.js";
import { metricsPart } from "./metrics-part.js";
import type { RunList } from "../../src/runs/run-description.js";

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
