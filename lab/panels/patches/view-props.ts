import type { NamedFile } from "../../named-file.js";
import type { ModelSource } from "./model-source.js";
import type { ChangePatches, PatchesState } from "./settings.js";

/** What every view of the panel gets. */
export interface ViewProps {
  readonly state: PatchesState;
  readonly change: ChangePatches;
  readonly model: ModelSource;
  /** Of the model that is chosen; what is shown may be of another one, until this one's is there. */
  readonly title: string;
  /** Null while it is loaded. */
  readonly picture: NamedFile | null;
}
