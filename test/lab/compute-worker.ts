import type { Page, Route, Worker } from "playwright-core";

/** Returns the newest one: a worker that crashed may still be listed for a moment. */
export function computeWorker(page: Page): Worker {
  const worker = page.workers().findLast((each) => each.url().includes("/compute-worker"));
  if (!worker) throw new Error("The page has no compute worker.");
  return worker;
}

/** Blocks the worker with a synchronous request until `release` is called. */
export async function holdWorker(page: Page): Promise<{ release: () => Promise<void> }> {
  const asked = new Promise<Route>((resolve) => {
    void page.route("**/held-back", resolve, { times: 1 });
  });
  const waiting = computeWorker(page).evaluate(() => {
    const request = new XMLHttpRequest();
    request.open("GET", "/held-back", false);
    request.send();
  });
  const route = await asked;
  const release = async (): Promise<void> => {
    await route.fulfill({ body: "" });
    await waiting;
  };
  return { release };
}
