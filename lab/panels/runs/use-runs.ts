/** Runs and their metrics, from the server of `gaussianize lab`. Other servers have none. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { MetricsPart, RunList } from "../../../src/runs/run-description.js";
import { type MetricsRecord, parseMetrics } from "../../../src/runs/run-metrics.js";
import { thinned } from "../../components/thinned.js";
import { useIsOpen } from "../../is-open.js";
import { isCancelled } from "../../problem.js";

interface RunsState {
  /** Undefined before the first answer; null if the server has no runs. */
  readonly list: RunList | null | undefined;
  /** Message if the server does not answer. */
  readonly problem: string | null;
  /** Number of answers. */
  readonly round: number;
}

/** Milliseconds between two requests. */
const pause = 2000;

/** Asks for the list of runs again and again while the panel is open. */
export function useRuns(): RunsState {
  const [state, setState] = useState<RunsState>({ list: undefined, problem: null, round: 0 });
  const last = useRef<string | null | undefined>(undefined);
  const hasServer = useRef(false);
  const isOpen = useIsOpen();
  useEffect(() => {
    if (!isOpen) return undefined;
    const controller = new AbortController();
    /** Returns whether to ask again. */
    const ask = async (): Promise<boolean> => {
      if (document.hidden) return true;
      try {
        const text = await fetchRuns(controller.signal);
        // An unchanged list stays the same object, so nothing is drawn again.
        const isNews = text !== last.current;
        last.current = text;
        const list = text === null ? null : listOf(text);
        setState((before) => ({
          list: isNews ? list : before.list,
          problem: null,
          round: before.round + 1,
        }));
        hasServer.current ||= text !== null;
        // A server of static files never has runs, but one that had them may come back.
        return hasServer.current;
      } catch (error) {
        if (isCancelled(error)) return false;
        const problem = "The server does not answer. Was it stopped? The page keeps trying.";
        setState((before) => ({ ...before, problem }));
        return true;
      }
    };
    void repeat(ask, controller.signal);
    return () => {
      controller.abort();
    };
  }, [isOpen]);
  return state;
}

/** Returns null if the server was started without runs. */
function listOf(text: string): RunList | null {
  const list = JSON.parse(text) as RunList;
  return list.folder === null ? null : list;
}

async function repeat(ask: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await ask())) {
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Returns the list as sent, so that changes are easy to detect; null if the server has none. */
async function fetchRuns(signal: AbortSignal): Promise<string | null> {
  const response = await fetch("api/runs", { signal });
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  // Proxies answer with 5xx while the server is down.
  if (response.status < 500 && !(response.ok && isJson)) return null;
  return textOf(response);
}

async function fetchMetrics(
  name: string,
  { to, mark }: Pick<MetricsPart, "to" | "mark">,
  signal: AbortSignal,
): Promise<MetricsPart> {
  const query = new URLSearchParams({ from: String(to), mark });
  const response = await fetch(`api/runs/${encodeURIComponent(name)}/metrics?${query}`, { signal });
  return JSON.parse(await textOf(response)) as MetricsPart;
}

/** Returns an absolute address, because the base of workers differs from that of the page. */
export function modelAddress(name: string): string {
  return new URL(`api/runs/${encodeURIComponent(name)}/model`, document.baseURI).href;
}

async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(text);
}

/** Records of each run, by name. */
type Metrics = ReadonlyMap<string, readonly MetricsRecord[]>;

interface Known extends Pick<MetricsPart, "to" | "mark"> {
  readonly records: readonly MetricsRecord[];
  /** Thinned records for the chart. */
  readonly drawn: readonly MetricsRecord[];
}

const nothing: Known = { to: 0, mark: "", records: [], drawn: [] };
/** Reading stops at this number. A fit writes about 220 records. */
const mostRecords = 50_000;

/** Returns the same map until there are new records. */
export function useMetrics(names: readonly string[], round: number): Metrics {
  const known = useRef(new Map<string, Known>());
  const [metrics, setMetrics] = useState<Metrics>(new Map());
  const key = JSON.stringify(names);
  useEffect(() => {
    const controller = new AbortController();
    void Promise.all(
      names.map(async (name) => {
        const before = known.current.get(name) ?? nothing;
        const after = await readNew(name, before, controller.signal).catch(() => before);
        if (controller.signal.aborted || after.records === before.records) return false;
        known.current.set(name, after);
        return true;
      }),
    ).then((news) => {
      if (!controller.signal.aborted && news.includes(true)) {
        setMetrics(new Map([...known.current].map(([name, { drawn }]) => [name, drawn])));
      }
    });
    return () => {
      controller.abort();
    };
  }, [key, round]);
  return metrics;
}

async function readNew(name: string, before: Known, signal: AbortSignal): Promise<Known> {
  let known = before;
  for (let hasMore = true; hasMore && known.records.length < mostRecords;) {
    const part = await fetchMetrics(name, known, signal);
    const isAnew = part.from !== known.to;
    const added = parseMetrics(part.text);
    const kept = isAnew ? [] : known.records;
    const records = isAnew || added.length > 0 ? [...kept, ...added] : known.records;
    known = { ...known, to: part.to, mark: part.mark, records };
    hasMore = part.hasMore;
  }
  return known.records === before.records ? known : { ...known, drawn: thinned(known.records) };
}
