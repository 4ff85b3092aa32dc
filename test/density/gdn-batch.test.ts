import { describe, expect, test } from "vitest";
import { runGdnBatch } from "../../src/density/gdn-batch.js";
import { gdnJob } from "../../src/density/gdn-job.js";
import type { TaskRunner } from "../../src/parallel/job.js";
import { createRandom } from "../../src/random/random-stream.js";
import { expectClose } from "../support/expect-close.js";
import { gdnForms, groupsOf, randomCase } from "../support/gdn-cases.js";
import { referenceRunner, simdRunner } from "../support/inline-runners.js";
import { seed } from "../support/seed.js";

/** A runner that says it does `size` tasks at the same time, and keeps the sizes of those it is given. */
function runnerOfSize(size: number): TaskRunner & { readonly counts: number[] } {
  const counts: number[] = [];
  return {
    size,
    counts,
    kernels: simdRunner.kernels,
    run(job, shared, inputs) {
      counts.push(...inputs.map(({ task }) => (task as { count: number }).count));
      return simdRunner.run(job, shared, inputs);
    },
    close: () => Promise.resolve(),
  };
}

describe(`runGdnBatch (seed ${seed})`, () => {
  test.each(gdnForms)("gives the same bits however the batch is cut (%s)", async (form) => {
    for (const count of [1, 7, 50, 333]) {
      const random = createRandom(seed, "cuts", form, count);
      const given = randomCase(random, { form, n: 5, count, linear: true });
      const { parameters, x, upstream } = given;
      const all = {
        pass: "backpropagate",
        upstream,
        wantsY: true,
        wantsInputGradient: true,
        wantsSums: true,
      } as const;
      const whole = await runGdnBatch(simdRunner, parameters, x, all);
      expect(whole.y?.length).toBe(x.length);
      expect(whole.xGradient?.length).toBe(x.length);
      for (const size of [1, 2, 3, 4, 7, 16, 64]) {
        const runner = runnerOfSize(size);
        expect(await runGdnBatch(runner, parameters, x, all)).toEqual(whole);
        expect(runner.counts.reduce((sum, part) => sum + part, 0)).toBe(count);
        // As many parts as can be busy at once, where there are so many leaves of 8 samples or more.
        expect(runner.counts.length).toBeGreaterThanOrEqual(Math.min(size, Math.ceil(count / 32)));
      }
    }
  });

  test("takes no derivative of the loss for that of ½‖y‖²", async () => {
    const random = createRandom(seed, "upstream");
    const size = { form: "general", n: 4, count: 20, linear: true } as const;
    const { parameters, x } = randomCase(random, size);
    const request = { pass: "backpropagate", wantsY: true } as const;
    const without = await runGdnBatch(referenceRunner, parameters, x, request);
    const upstream = without.y!;
    const given = await runGdnBatch(referenceRunner, parameters, x, { ...request, upstream });
    expect(given).toEqual(without);
  });

  test("gives only what was asked for", async () => {
    const random = createRandom(seed, "asked for");
    const size = { form: "column", n: 3, count: 20, linear: false } as const;
    const { parameters, x } = randomCase(random, size);
    const pass = await runGdnBatch(simdRunner, parameters, x, { pass: "gaussianize" });
    expect([pass.y, pass.xGradient, pass.sums]).toEqual([null, null, null]);
    const back = await runGdnBatch(simdRunner, parameters, x, { pass: "backpropagate" });
    expect([back.y, back.xGradient, back.sums]).toEqual([null, null, null]);
    expectClose(pass.logDeterminant, back.logDeterminant, { relative: 1e-5, scale: 1 });
  });
});

describe("gdnJob", () => {
  test("one session serves layers of any shape in turn", () => {
    const shared = gdnJob.open(referenceRunner.kernels);
    for (const [trial, form] of [...gdnForms, ...gdnForms].entries()) {
      const random = createRandom(seed, "session", trial);
      const n = 1 + random.integer(6);
      const given = randomCase(random, { form, n, count: 5, linear: trial % 2 === 0 });
      const own = gdnJob.open(referenceRunner.kernels);
      const task = {
        ...given,
        pass: "backpropagate",
        wantsY: true,
        wantsInputGradient: true,
        wantsSums: true,
      } as const;
      const [expected, actual] = [own, shared].map((session) => {
        session.share({ parameters: given.parameters, leafSize: 8, maximumLeaves: 1 });
        return session.perform(task);
      });
      expect(actual).toEqual(expected);
      expect(groupsOf(actual.result.sums!).length).toBe(trial % 2 === 0 ? 5 : 4);
      // Every array moves to the caller.
      const arrays = [actual.result.y!, actual.result.energy, actual.result.xGradient!];
      const moved = new Set(actual.transfer);
      for (const array of [
        ...arrays,
        ...groupsOf(actual.result.sums!).map(([, values]) => values),
      ]) {
        expect(moved.has(array.buffer as ArrayBuffer)).toBe(true);
      }
      expect(moved.size).toBe(5);
    }
  });

  test("parameters come before tasks", () => {
    const task = { pass: "gaussianize", x: Float64Array.of(1), count: 1, upstream: null } as const;
    const session = gdnJob.open(referenceRunner.kernels);
    expect(() =>
      session.perform({ ...task, wantsY: true, wantsInputGradient: false, wantsSums: false }),
    ).toThrow("parameters come before tasks");
  });
});
