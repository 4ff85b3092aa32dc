/**
 * Names of pictures in the terms of a fit: those of the user by the names of their files;
 * photographs of the lab with a folder of their own, since the package calls every one of them
 * image.jpg.
 */
import { type LabPhotograph, labPhotographs } from "../../photographs.js";

export const photographFile = "image.jpg";

export function pathOfPhotograph({ name }: LabPhotograph): string {
  return `${name}/${photographFile}`;
}

/**
 * Returns the photograph at a path of this page, or of the command, which has them in node_modules;
 * undefined where it is another picture.
 */
export function photographAt(path: string): LabPhotograph | undefined {
  const folders = path.split(/[/\\]/);
  if (folders.pop() !== photographFile) return undefined;
  return labPhotographs.find(({ name }) =>
    folders.some((folder) => folder === name || folder === `datasets-img-${name}`),
  );
}

/** Whether they are those of `gaussianize fit --embedded`. */
export function areAllPhotographs(paths: readonly string[]): boolean {
  if (paths.length !== labPhotographs.length) return false;
  // Without folders: of checkpoints that are older than these.
  if (paths.every((path) => path === photographFile)) return true;
  return labPhotographs.every((photograph, k) => photographAt(paths[k]) === photograph);
}

const mostNames = 8;

/** For a sentence: "a.png, “Boats in river, Nagasaki”", "the lab’s eight photographs". */
export function namesOfPictures(paths: readonly string[]): string {
  if (areAllPhotographs(paths)) return "the lab’s eight photographs";
  const names = paths.slice(0, mostNames).map((path) => {
    const photograph = photographAt(path);
    return photograph ? `“${photograph.title}”` : path.replace(/^.*[/\\]/, "");
  });
  const more = paths.length > mostNames ? ` and ${paths.length - mostNames} more` : "";
  return `${names.join(", ")}${more}`;
}
