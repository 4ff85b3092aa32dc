/** A file, and a name for its contents: the same name is the same contents. */
export interface NamedFile {
  readonly key: string;
  readonly file: File;
}

let lastDropped = 0;

/** Of a file that somebody dropped: every one has a name of its own. */
export function namedFile(file: File): NamedFile {
  return { key: `dropped ${++lastDropped}`, file };
}
