/** Files that one panel hands to another, which takes them as if they had been dropped there. */
import { signal } from "@preact/signals";

interface Handed {
  /** Name of the panel. */
  readonly to: string;
  readonly file: File;
}

/** Null after it was taken. */
export const handed = signal<Handed | null>(null);
