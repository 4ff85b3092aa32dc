import { expect, test } from "vitest";
import { referenceKernels } from "../../../src/kernels/reference/index.js";
import { createRandom } from "../../../src/random/random-stream.js";
import { seed } from "../../support/seed.js";

test("the gradients of a network are its finite differences, to 1e-7", () => {
  const widths = [2, 3, 4, 2];
  const count = 3;
  const random = createRandom(seed, "finite differences of networks");
  const normal = (length: number) => random.normalFill(new Float64Array(length));
  const layers = widths
    .slice(1)
    .map((width, k) => ({ weights: normal(widths[k] * width), bias: normal(width) }));
  const [x, upstream] = [normal(count * 2), normal(count * 2)];
  const network = referenceKernels.network({ widths, leafSize: 8 });
  const activations = network.activations(count);
  const loss = (): number => {
    const outputs = new Float64Array(count * 2);
    network.load(layers);
    network.forward(x, count, outputs, activations);
    return outputs.reduce((sum, value, k) => sum + value * upstream[k], 0);
  };
  loss();
  const xGradient = new Float64Array(x.length);
  const sums = layers.map(({ weights, bias }) => ({
    weights: new Float64Array(weights.length),
    bias: new Float64Array(bias.length),
  }));
  const failedPivot = new Int32Array(count).fill(-1);
  network.backpropagate(activations, upstream, failedPivot, { xGradient, sums });
  const pairs = layers.flatMap(({ weights, bias }, k) => [
    [weights, sums[k].weights],
    [bias, sums[k].bias],
  ]);
  for (const [values, gradient] of [...pairs, [x, xGradient]]) {
    values.forEach((value, i) => {
      const [above, below] = [1e-5, -1e-5].map((step) => {
        values[i] = value + step;
        return loss();
      });
      values[i] = value;
      expect(Math.abs((above - below) / 2e-5 - gradient[i])).toBeLessThan(1e-7);
    });
  }
});
