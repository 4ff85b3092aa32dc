/** Which model: one that comes with the package, or a file. */
import type { NamedFile } from "../../named-file.js";
import { type PackageModel, modelTitles } from "./settings.js";

export type ModelSource =
  | { readonly kind: "package"; readonly name: PackageModel }
  | (NamedFile & { readonly kind: "file" });

/** What the page calls it. */
export function titleOf(source: ModelSource): string {
  return source.kind === "file" ? source.file.name : modelTitles[source.name];
}

/** The same for the same model. */
export function keyOfModel(source: ModelSource): string {
  return source.kind === "file" ? source.key : source.name;
}
