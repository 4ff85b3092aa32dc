import { expect, test } from "vitest";
import { type Work, atOnce, inTurns } from "../../src/parallel/in-turns.js";

/** Work with a number of turns of some milliseconds each. */
function* work(turns: number, milliseconds: number, seen: number[] = []): Work<string> {
  for (let k = 0; k < turns; k++) {
    for (const end = performance.now() + milliseconds; performance.now() < end;);
    seen.push(k);
    yield;
  }
  return "done";
}

test("gives the same result at once and in turns", async () => {
  const [first, second]: number[][] = [[], []];
  expect(atOnce(work(5, 0, first))).toBe("done");
  expect(await inTurns(work(5, 0, second))).toBe("done");
  expect(second).toEqual(first);
});

test("lets timers fire before it is done", async () => {
  const order: string[] = [];
  setTimeout(() => order.push("timer"), 0);
  await inTurns(work(6, 20)).then((result) => order.push(result));
  expect(order).toEqual(["timer", "done"]);
});

test("rejects with the reason of a signal between two turns", async () => {
  const stop = new AbortController();
  const seen: number[] = [];
  setTimeout(() => {
    stop.abort(new Error("enough"));
  }, 0);
  await expect(inTurns(work(1000, 10, seen), stop.signal)).rejects.toThrow("enough");
  expect(seen.length).toBeLessThan(1000);
});
