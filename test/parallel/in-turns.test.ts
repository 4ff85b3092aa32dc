import { expect, test } from "vitest";
import { type Work, atOnce, inTurns } from "../../src/parallel/in-turns.js";

/** So many turns, each of which takes milliseconds. */
function* work(turns: number, milliseconds: number, seen: number[] = []): Work<string> {
  for (let k = 0; k < turns; k++) {
    for (const end = performance.now() + milliseconds; performance.now() < end;);
    seen.push(k);
    yield;
  }
  return "done";
}

test("work is done at once, or in turns, with the same result", async () => {
  const [first, second]: number[][] = [[], []];
  expect(atOnce(work(5, 0, first))).toBe("done");
  expect(await inTurns(work(5, 0, second))).toBe("done");
  expect(second).toEqual(first);
});

test("timers have their turn before it is done", async () => {
  const order: string[] = [];
  setTimeout(() => order.push("timer"), 0);
  await inTurns(work(6, 20)).then((result) => order.push(result));
  expect(order).toEqual(["timer", "done"]);
});

test("a signal ends it between two turns, with its reason", async () => {
  const stop = new AbortController();
  const seen: number[] = [];
  setTimeout(() => {
    stop.abort(new Error("enough"));
  }, 0);
  await expect(inTurns(work(1000, 10, seen), stop.signal)).rejects.toThrow("enough");
  expect(seen.length).toBeLessThan(1000);
});
