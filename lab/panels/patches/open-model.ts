/** Models in the compute worker; the last ones are kept open. */
import { decodeModel } from "../../../src/density/model-files/model-file.js";
import { requireReading } from "../../../src/density/model-files/model-reading.js";
import { type Model, requirePatchModel } from "../../../src/density/model-files/model.js";
import type { ImageReading } from "../../../src/patches/image-reading.js";
import { fetchBytes } from "../../fetch-bytes.js";
import { LastOnes } from "../../compute/last-ones.js";
import { readModelFile } from "../../compute/model-file.js";
import { type ModelSource, keyOfModel } from "./model-source.js";

export interface OpenModel {
  readonly model: Model;
  readonly reading: ImageReading;
}

const urls = import.meta.glob<string>("../../../models/*.safetensors", {
  query: "?url",
  import: "default",
  eager: true,
});
/** Those of the package together, and one of somebody's own. */
const opened = new LastOnes<OpenModel>(4);

export function openModel(source: ModelSource): Promise<OpenModel> {
  return opened.get(keyOfModel(source), async () => {
    const name = source.kind === "file" ? source.file.name : `kodak16-${source.name}.safetensors`;
    const model =
      source.kind === "file" ? await readModelFile(source.file, name) : await packageModel(name);
    return { model, reading: requireReading(model, name) };
  });
}

async function packageModel(name: string): Promise<Model> {
  const bytes = await fetchBytes(urls[`../../../models/${name}`], `The model ${name}`);
  return requirePatchModel(decodeModel(bytes, name), name);
}
