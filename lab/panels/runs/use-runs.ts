/** The runs and their metrics, asked for again and again while somebody looks. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { MetricsPart, RunList } from "../../../src/runs/run-description.js";
import { type MetricsRecord, parseMetrics } from "../../../src/runs/run-metrics.js";
import { thinned } from "../../components/thinned.js";
import { useIsOpen } from "../../is-open.js";
import { isCancelled } from "../../problem.js";
import { fetchMetrics, fetchRuns } from "./runs-client.js";

export interface RunsState {
  /** Undefined until the server has answered, null where it has no runs. */
  readonly list: RunList | null | undefined;
  /** Why it does not answer at the moment. */
  readonly problem: string | null;
  /** Number of times the server was asked. */
  readonly round: number;
}

const pause = 2000;

export function useRuns(): RunsState {
  const [state, setState] = useState<RunsState>({ list: undefined, problem: null, round: 0 });
  const last = useRef<string | null | undefined>(undefined);
  const hasServer = useRef(false);
  const isOpen = useIsOpen();
  useEffect(() => {
    if (!isOpen) return undefined;
    const controller = new AbortController();
    /** Whether to ask again. */
    const ask = async (): Promise<boolean> => {
      if (document.hidden) return true;
      try {
        const text = await fetchRuns(controller.signal);
        // The same list stays the same object, so that nothing is drawn again.
        const isNews = text !== last.current;
        last.current = text;
        const list = text === null ? null : listOf(text);
        setState((before) => ({
          list: isNews ? list : before.list,
          problem: null,
          round: before.round + 1,
        }));
        hasServer.current ||= text !== null;
        // Files alone will never answer, but a server that was there may come back.
        return hasServer.current;
      } catch (error) {
        if (isCancelled(error)) return false;
        const problem = "The server does not answer. Was it ended? The page goes on asking.";
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

/** Null where the server was started without runs. */
function listOf(text: string): RunList | null {
  const list = JSON.parse(text) as RunList;
  return list.folder === null ? null : list;
}

async function repeat(ask: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await ask())) {
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Name of a run → its records. */
export type Metrics = ReadonlyMap<string, readonly MetricsRecord[]>;

interface Known extends Pick<MetricsPart, "to" | "mark"> {
  readonly records: readonly MetricsRecord[];
  /** Those of the records that are drawn. */
  readonly drawn: readonly MetricsRecord[];
}

const nothing: Known = { to: 0, mark: "", records: [], drawn: [] };
/** A fit writes 220; who wrote more is not shown to the end. */
const mostRecords = 50_000;

/** The same map as long as there is nothing new. */
export function useMetrics(names: readonly string[], round: number): Metrics {
  const known = useRef(new Map<string, Known>());
  const [metrics, setMetrics] = useState<Metrics>(new Map());
  const key = JSON.stringify(names);
  useEffect(() => {
    const controller = new AbortController();
    void Promise.all(
      names.map(async (name) => {
        const before = known.current.get(name) ?? nothing;
        const after = await goOn(name, before, controller.signal).catch(() => before);
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

async function goOn(name: string, before: Known, signal: AbortSignal): Promise<Known> {
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
