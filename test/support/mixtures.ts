/** Asymmetric mixtures, for the tests of passes and files. */
import {
  type Mixture,
  type MixtureComponent,
  type SymmetricMixture,
  mixture,
  symmetricMixture,
} from "../../src/density/mixtures/mixture.js";
import { createRandom } from "../../src/random/random-stream.js";
import { affine } from "../../src/transforms/affine.js";
import { cascade } from "../../src/transforms/cascade.js";
import type { Cascade } from "../../src/transforms/transform.js";
import { randomLayer } from "./models.js";
import { seed } from "./seed.js";

/** Returns an affine stage and a general GDN with H, fractional α and asymmetric γ. */
export function component(name: string, n: number): Cascade {
  const random = createRandom(seed, "component", name);
  const values = (low: number) => Float64Array.from({ length: n }, () => low + random.uniform());
  return cascade([
    affine({ dimension: n, scale: values(0.5), shift: values(-0.5) }),
    randomLayer(random, "general", { n, precision: "Float64" }),
  ]);
}

export function plainMixture(n: number): Mixture {
  return mixture({
    components: [component("a", n), component("b", n), component("c", n)],
    weights: [0.5, 0.2, 0.3],
  });
}

export function symmetric(density: MixtureComponent, removeMean: boolean): SymmetricMixture {
  const side = Math.sqrt(density.dimension + (removeMean ? 1 : 0));
  return symmetricMixture({ side, removeMean, density });
}

/** Returns mixtures of 3 or 4 dimensions, nested in every way. */
export function everyMixture(): readonly (readonly [name: string, mixture: MixtureComponent])[] {
  return ([true, false] as const).flatMap((removeMean) => {
    const n = removeMean ? 3 : 4;
    const plain = plainMixture(n);
    const of = symmetric(component("a", n), removeMean);
    const components = [symmetric(plain, removeMean), component("d", n), plain];
    const nested = mixture({ components, weights: Float32Array.of(0.6, 0.3, 0.1) });
    return [
      [`a mixture of ${n} dimensions`, plain],
      [`a symmetric mixture of ${n} dimensions`, of],
      [`a symmetric mixture of a mixture, ${n} dimensions`, symmetric(plain, removeMean)],
      [`a mixture of mixtures, ${n} dimensions`, nested],
      [`a mixture of one, ${n} dimensions`, mixture({ components: [component("a", n)] })],
    ] as const;
  });
}
