import { GaussianizeError } from "../../src/index.js";

/** A file beside the page; `what` is what an error calls it: "The density gdn-25.safetensors". */
export async function fetchBytes(url: string, what: string): Promise<Uint8Array> {
  const problem = `${what} could not be loaded.`;
  const response = await fetch(url).catch((error: unknown) => {
    throw new GaussianizeError(problem, { cause: error });
  });
  if (!response.ok) throw new GaussianizeError(problem);
  return new Uint8Array(await response.arrayBuffer());
}
