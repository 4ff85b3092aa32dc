import type { FloatArray } from "../kernels.js";
import { KernelInstance } from "./instance.js";

type Operation = "expArray" | "logArray" | "powArray";

/** Values that pass through the memory of the instance at once. */
const blockLength = 4096;

/** exp, log and pow over arrays of any length. */
export class WasmElementary {
  private readonly memory: KernelInstance<"first" | "second" | "out">;

  constructor(module: WebAssembly.Module) {
    const bytes = 4 * blockLength;
    this.memory = new KernelInstance(module, { first: bytes, second: bytes, out: bytes });
  }

  apply(operation: Operation, inputs: readonly FloatArray[], out: FloatArray): void {
    const { memory } = this;
    const views = [memory.float32("first", blockLength), memory.float32("second", blockLength)];
    const result = memory.float32("out", blockLength);
    const addresses = [memory.address("first"), memory.address("second"), memory.address("out")];
    for (let start = 0; start < out.length; start += blockLength) {
      const count = Math.min(blockLength, out.length - start);
      inputs.forEach((input, k) => {
        views[k].set(input.subarray(start, start + count));
      });
      const [first, second, target] = addresses;
      if (operation === "powArray") memory.exports.powArray(first, second, target, count);
      else memory.exports[operation](first, target, count);
      out.set(result.subarray(0, count), start);
    }
  }
}
