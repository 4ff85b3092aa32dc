/**
 * Jobs that behave well and badly, for the tests of worker pools. The tests and the workers import
 * the same list: here a worker finds what a test asks for.
 */

/**
 * @template Shared, Task, Result
 * @typedef {import("../../../dist/src/parallel/job.js").Job<Shared, Task, Result>} Job
 */

/** @type {Job<{factor: number}, {value: number, milliseconds?: number}, number>} */
export const multiplyJob = {
  name: "multiply",
  open() {
    let factor = NaN;
    return {
      share(shared) {
        factor = shared.factor;
      },
      perform({ value, milliseconds = 0 }) {
        const end = performance.now() + milliseconds;
        while (performance.now() < end);
        return { result: value * factor, transfer: [] };
      },
    };
  },
};

/**
 * Moves the buffer there and back. @type {Job<null, Float64Array<ArrayBuffer>,
 * Float64Array<ArrayBuffer>>}
 */
export const moveJob = {
  name: "move",
  open: () => ({
    share: () => undefined,
    perform: (values) => ({ result: values.map((value) => -value), transfer: [] }),
  }),
};

/** Throws at the tasks that say so. @type {Job<null, {fails: boolean}, string>} */
export const throwingJob = {
  name: "throwing",
  open: () => ({
    share: () => undefined,
    perform({ fails }) {
      if (fails) throw new RangeError("the sky is too low");
      return { result: "fine", transfer: [] };
    },
  }),
};

/** Refuses shared data that says so. @type {Job<{refused: boolean}, number, number>} */
export const refusingJob = {
  name: "refusing",
  open: () => ({
    share({ refused }) {
      if (refused) throw new Error("there is no room for this");
    },
    perform: (task) => ({ result: task, transfer: [] }),
  }),
};

/** Its results cannot be sent. @type {Job<null, number, () => number>} */
export const unsendableJob = {
  name: "unsendable",
  open: () => ({
    share: () => undefined,
    perform: (task) => ({ result: () => task, transfer: [] }),
  }),
};

/** Sends a buffer that it has sent before. @type {Job<null, number, Float64Array<ArrayBuffer>>} */
export const resendingJob = {
  name: "resending",
  open() {
    const values = new Float64Array(1);
    return {
      share: () => undefined,
      perform: () => ({ result: values, transfer: [values.buffer] }),
    };
  },
};

/** @type {Job<null, "exit" | "throw later" | "loop forever" | "nothing", string>} */
export const deadlyJob = {
  name: "deadly",
  open: () => ({
    share: () => undefined,
    perform(task) {
      if (task === "exit") process.exit(3);
      if (task === "loop forever") for (;;);
      if (task === "throw later") {
        // Outside of the job, where nobody catches it; the tasks that follow are not answered.
        queueMicrotask(() => {
          throw new Error("out of the blue");
        });
      }
      return { result: task, transfer: [] };
    },
  }),
};

/** No worker knows this one. @type {Job<null, number, number>} */
export const unknownJob = {
  name: "unknown",
  open: () => ({
    share: () => undefined,
    perform: (task) => ({ result: task, transfer: [] }),
  }),
};

/** @type {readonly import("../../../dist/src/parallel/serve-jobs.js").AnyJob[]} */
export const jobs = [
  multiplyJob,
  moveJob,
  throwingJob,
  refusingJob,
  unsendableJob,
  resendingJob,
  deadlyJob,
];
