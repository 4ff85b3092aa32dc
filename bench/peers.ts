/** Programs that others would use for the same work: jax-js, and native code. */
import { type JaxJsEngine, type JaxJsFigures, measureJaxJs } from "./jax-js.js";
import { type NativeFigures, measureNative } from "./native.js";
import { table, whole } from "./table.js";

export interface PeerFigures {
  readonly jaxJs: JaxJsFigures;
  /** Null without a compiler. */
  readonly native: NativeFigures | null;
}

export async function measurePeers(
  haste: number,
  say: (text: string) => void,
): Promise<PeerFigures> {
  say("inverse in native code");
  const native = await measureNative(Math.ceil(8 * haste), say);
  return { jaxJs: await measureJaxJs(say), native };
}

export function peersTable({ jaxJs, native }: PeerFigures): string {
  const engines = [jaxJs.node, ...(jaxJs.chromium ? [jaxJs.chromium] : [])];
  return [
    table(
      `gradient step, samples per CPU second | ours | jax-js ${jaxJs.version}, autodiff | jax-js, inverse | ours / the faster`,
      engines.flatMap(rowsOf),
    ),
    native ? nativeTable(native) : "Native code was not measured.\n",
  ].join("\n");
}

function rowsOf({ engine, ours, theirs, ratio }: JaxJsEngine): string[][] {
  return Object.keys(ratio).map((name) => [
    `${name}, ${engine}`,
    whole(ours[name]),
    theirs.autodiff[name].toFixed(1),
    theirs.inverse[name].toFixed(1),
    `${whole(ratio[name])}×`,
  ]);
}

function nativeTable({ compiler, gigaflops, ourGigaflops, ratio }: NativeFigures): string {
  return table(
    `inverse + log-det, Gflop per CPU second | plain SIMD | native: ${compiler} | ours / native`,
    (["n64", "n256"] as const).map((name) => [
      name,
      ourGigaflops[name].toFixed(1),
      gigaflops[name].toFixed(1),
      `${(100 * ratio[name]).toFixed(0)} %`,
    ]),
  );
}
