import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { type TestContext, describe, expect, test } from "vitest";
import type { FromCompute, ToCompute } from "../../lab/compute/protocol.js";
import { holdWorker } from "./compute-worker.js";
import { labAddress, launchBeforeTests, limitInMilliseconds, openLab } from "./in-lab.js";

launchBeforeTests();

type WatchedScope = typeof globalThis & {
  /** Ids of the jobs that were started, done and cancelled. */
  watched: { readonly started: number[]; readonly done: number[]; readonly cancelled: number[] };
};

/** Watches the workers after a reload. */
async function watchWorker(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const watched = { started: [] as number[], done: [] as number[], cancelled: [] as number[] };
    const { Worker } = globalThis;
    class WatchedWorker extends Worker {
      constructor(...words: ConstructorParameters<typeof Worker>) {
        super(...words);
        this.addEventListener("message", ({ data }: MessageEvent<FromCompute>) => {
          if (data.type === "done") watched.done.push(data.id);
          if (data.type === "failed" && data.problem.isCancelled) watched.cancelled.push(data.id);
        });
      }
      override postMessage(message: ToCompute): void {
        if (message.type === "start") watched.started.push(message.id);
        super.postMessage(message);
      }
    }
    Object.assign(globalThis, { Worker: WatchedWorker, watched });
  });
  await page.reload();
}

describe("the compute worker", { timeout: 2 * limitInMilliseconds }, () => {
  test("does not perform jobs superseded while another one ran", async (context) => {
    const { page, complaints } = await openLab(context, "#patches?filter=40");
    await watchWorker(page);
    await page.getByRole("region", { name: "Filter 40" }).waitFor();
    const list = page.getByRole("listbox", { name: "Filters of GDN" });
    const before = await page.evaluate(() => (globalThis as WatchedScope).watched.started.length);
    const { release } = await holdWorker(page);
    // Forty arrow keys start one job each.
    await list.evaluate(async (element) => {
      const { watched } = globalThis as WatchedScope;
      for (let k = 0; k < 40; k++) {
        const { length } = watched.started;
        element.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
        while (watched.started.length === length) {
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    });
    await release();
    await expect
      .poll(() =>
        page.evaluate((from) => {
          const { started, done, cancelled } = (globalThis as WatchedScope).watched;
          const asked = started.slice(from);
          const [last] = asked.slice(-1);
          return [
            asked.length,
            asked.filter((id) => cancelled.includes(id)).length,
            asked.filter((id) => done.includes(id)).map((id) => id - last),
          ];
        }, before),
      )
      .toEqual([40, 39, [0]]);
    expect(complaints).toEqual([]);
  });

  test("requests a missing script again for the next job", async (context) => {
    const server = await serveWithout(context, /worker-entry-.*\.js/);
    // A fresh context has no cached copy.
    const { page } = await openLab(context, "#runs");
    await page.goto(`${server.address}#patches?view=samples`);
    await page.getByRole("alert").filter({ hasText: "could not be loaded" }).first().waitFor();
    expect(server.refused).toBeGreaterThan(0);
    server.isWhole = true;
    await page.getByRole("button", { name: "Next seed" }).click();
    await page.getByText("36 samples of GDN, seed 2").waitFor();
    await page.getByRole("listbox", { name: "Samples of GDN" }).waitFor();
  });
});

/** Serves the lab without the files that match `missing`, until `isWhole` is set. */
async function serveWithout(context: TestContext, missing: RegExp) {
  const served = { address: "", refused: 0, isWhole: false };
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    if (!served.isWhole && missing.test(path)) {
      served.refused++;
      response.writeHead(503).end();
      return;
    }
    void fetch(new URL(path, labAddress())).then(async (answer) => {
      const type = answer.headers.get("content-type") ?? "";
      response.writeHead(answer.status, { "content-type": type });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  served.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return served;
}
