/** Model of the panel, from the package or from a file, and properties of the views. */
import type { ImageModelSizes } from "../../compute/image-filters.js";
import type { NamedFile } from "../../named-file.js";
import type { Fields } from "../../use-settings.js";
import {
  type ChangePatches,
  type PackageModel,
  type PatchesState,
  modelTitles,
} from "./settings.js";

export type ModelSource =
  | { readonly kind: "package"; readonly name: PackageModel }
  | (NamedFile & { readonly kind: "file" });

/** Returns the name of a model for the page. */
export function titleOf(source: ModelSource): string {
  return source.kind === "file" ? source.file.name : modelTitles[source.name];
}

/** Returns the same text for the same model. */
export function keyOfModel(source: ModelSource): string {
  return source.kind === "file" ? source.key : source.name;
}

export interface ControlsProps {
  readonly state: PatchesState;
  readonly change: ChangePatches;
  readonly field: Fields<PatchesState>;
}

/** Properties of every view of the panel. */
export interface ViewProps extends ControlsProps {
  readonly model: ModelSource;
  /** Sizes of a model of whole images; null for a model of patches. */
  readonly ofImages: ImageModelSizes | null;
  /** Title of the chosen model; the view may still show the one before. */
  readonly title: string;
  /** Null while it loads. */
  readonly picture: NamedFile | null;
}
