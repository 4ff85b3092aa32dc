/**
 * Names of pictures in the terms of a fit. A picture of the user has the name of its file. A
 * photograph of the lab also has a folder, because the package calls every one of them image.jpg.
 */
import { type LabPhotograph, labPhotographs } from "../../photographs.js";

export const photographFile = "image.jpg";

export function pathOfPhotograph({ name }: LabPhotograph): string {
  return `${name}/${photographFile}`;
}

/**
 * Returns the photograph at a path of this page, or of the command, where it is in node_modules.
 * Returns undefined for other pictures.
 */
export function photographAt(path: string): LabPhotograph | undefined {
  const folders = path.split(/[/\\]/);
  if (folders.pop() !== photographFile) return undefined;
  return labPhotographs.find(({ name }) =>
    folders.some((folder) => folder === name || folder === `datasets-img-${name}`),
  );
}

/** Returns whether the pictures are those of `gaussianize fit --embedded`. */
export function areAllPhotographs(paths: readonly string[]): boolean {
  if (paths.length !== labPhotographs.length) return false;
  // Old checkpoints have no folders.
  if (paths.every((path) => path === photographFile)) return true;
  return labPhotographs.every((photograph, k) => photographAt(paths[k]) === photograph);
}

const mostNames = 8;

/** For messages: "a.png, “Boats in river, Nagasaki”", "the lab’s eight photographs". */
export function namesOfPictures(paths: readonly string[]): string {
  if (areAllPhotographs(paths)) return "the lab’s eight photographs";
  const names = paths.slice(0, mostNames).map((path) => {
    const photograph = photographAt(path);
    return photograph ? `“${photograph.title}”` : path.replace(/^.*[/\\]/, "");
  });
  const more = paths.length > mostNames ? ` and ${paths.length - mostNames} more` : "";
  return `${names.join(", ")}${more}`;
}
