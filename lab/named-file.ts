/** Dropped files: keys for their contents, and kinds by their names. */

/** A file with a key: files with the same key have the same contents. */
export interface NamedFile {
  readonly key: string;
  readonly file: File;
}

let lastDropped = 0;

/** Gives a dropped file a new key. */
export function namedFile(file: File): NamedFile {
  return { key: `dropped ${++lastDropped}`, file };
}

// These look at names and types only. Readers check the contents.

export function isPicture({ name, type }: File): boolean {
  return type.startsWith("image/") || /\.(iml|png|jpe?g|webp|gif|avif|bmp)$/i.test(name);
}

export function isTable({ name, type }: File): boolean {
  return type.startsWith("text/") || /\.(csv|tsv|txt)$/i.test(name);
}

export function isModelFile({ name }: File): boolean {
  return /\.safetensors$/i.test(name);
}
