/** Files that somebody dropped: names for their contents, and kinds by their own names. */

/** A file, and a name for its contents: the same name is the same contents. */
export interface NamedFile {
  readonly key: string;
  readonly file: File;
}

let lastDropped = 0;

/** Gives a dropped file a name that no other file has. */
export function namedFile(file: File): NamedFile {
  return { key: `dropped ${++lastDropped}`, file };
}

// Only names and types count here. Whoever reads a file finds out what is in it.

export function isPicture({ name, type }: File): boolean {
  return type.startsWith("image/") || /\.(iml|png|jpe?g|webp|gif|avif|bmp)$/i.test(name);
}

export function isTable({ name, type }: File): boolean {
  return type.startsWith("text/") || /\.(csv|tsv|txt)$/i.test(name);
}

export function isModelFile({ name }: File): boolean {
  return /\.safetensors$/i.test(name);
}
