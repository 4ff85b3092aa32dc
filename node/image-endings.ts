/** How folders, globs and archives know images: by the endings of their names, in small or capital letters. */
import { extname } from "node:path";

const imageEndings: readonly string[] = [".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".iml"];

/** Endings of pictures that are passed over in folders: what no reader of ours knows, or what seldom is a photograph. */
const otherEndings: readonly string[] = [
  ...[".gif", ".bmp", ".heic", ".heif", ".avif", ".jxl", ".jp2", ".j2k"],
  ...[".svg", ".ico", ".tga", ".psd", ".xcf"],
  ...[".ppm", ".pgm", ".pbm", ".pnm", ".pfm", ".exr", ".hdr", ".fits", ".dcm"],
  ...[".dng", ".cr2", ".cr3", ".nef", ".arw", ".orf", ".rw2", ".raf", ".pef", ".raw"],
];

export function isImage(path: string): boolean {
  return imageEndings.includes(endingOf(path));
}

export function isOtherPicture(path: string): boolean {
  return otherEndings.includes(endingOf(path));
}

/** .png, .jpg … or .iml; or .tar, where archives are taken. */
export function knownEndings(archives: boolean): string {
  const endings = archives ? [...imageEndings, ".tar"] : imageEndings;
  return `${endings.slice(0, -1).join(", ")} or ${endings.at(-1) ?? ""}`;
}

function endingOf(path: string): string {
  return extname(path).toLowerCase();
}
