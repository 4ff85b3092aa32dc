/**
 * How long the tasks of a page are, in CPU time of its main thread: unlike the clock's, it does not grow where other programs have
 * the cores. Chromium's tracing says it of every task (`tdur`).
 */
import type { Page } from "playwright-core";

export interface MainThreadTask {
  readonly cpuInMilliseconds: number;
  /** Where Chromium says that it comes from. */
  readonly from: string;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly tdur?: number;
  readonly args: { readonly name?: string; readonly src_file?: string; readonly src_func?: string };
}

const taskName = "ThreadControllerImpl::RunTask";
const endMark = "end of what is measured";

/** All tasks while `act` is done, the longest first. */
export async function tasksWhile(
  page: Page,
  act: () => Promise<void>,
): Promise<readonly MainThreadTask[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error("The page has no browser.");
  await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing", "__metadata"] });
  let trace: Buffer;
  try {
    await act();
    await page.evaluate((name) => performance.mark(name), endMark);
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString("utf8")) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const end = traceEvents.find(({ name }) => name === endMark);
  // Where the buffer is full, the rest is lost.
  if (!end) throw new Error("The trace does not reach the end of what was measured.");
  const tasks = traceEvents
    .filter(({ name, ph, pid, tid }) => {
      return name === taskName && ph === "X" && pid === end.pid && tid === end.tid;
    })
    .map(({ tdur, args }) => ({
      cpuInMilliseconds: (tdur ?? NaN) / 1000,
      from: `${args.src_func ?? "?"} in ${args.src_file ?? "?"}`,
    }))
    .sort((a, b) => b.cpuInMilliseconds - a.cpuInMilliseconds);
  if (tasks.length === 0 || tasks.some(({ cpuInMilliseconds }) => Number.isNaN(cpuInMilliseconds)))
    throw new Error("The trace does not say how much CPU time tasks took.");
  return tasks;
}
