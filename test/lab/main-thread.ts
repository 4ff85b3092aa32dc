/**
 * Measures the tasks of a page in CPU time of its main thread. Unlike time by the clock, it does
 * not grow while other programs use the cores. Chromium's trace has it as `tdur`.
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
  /** Duration by the clock, in microseconds. */
  readonly dur?: number;
  /** CPU time in microseconds. Chromium omits it for tasks of about one microsecond. */
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
  return tasksIn(
    traceEvents.filter(({ name, ph, pid, tid }) => {
      return name === taskName && ph === "X" && pid === end.pid && tid === end.tid;
    }),
  );
}

/** Tasks without CPU time count with their duration, which is never shorter. */
function tasksIn(events: readonly TraceEvent[]): readonly MainThreadTask[] {
  const measured = events.filter(({ tdur }) => tdur !== undefined).length;
  if (2 * measured <= events.length)
    throw new Error(`The trace has the CPU time of only ${measured} of ${events.length} tasks.`);
  return events
    .map(({ tdur, dur = NaN, args }) => ({
      cpuInMilliseconds: (tdur ?? dur) / 1000,
      from: `${args.src_func ?? "?"} in ${args.src_file ?? "?"}`,
    }))
    .sort((a, b) => b.cpuInMilliseconds - a.cpuInMilliseconds);
}
