/**
 * Files that somebody drops on a panel. All panels follow the same rules:
 *
 * - A file that cannot be read changes nothing; a sentence says why.
 * - Files are read one after the other. Of two for the same place, the later one is taken.
 * - Whoever leaves a place while a file is read for it does not get that file.
 */
import { type Signal, batch, signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { sentenceOf } from "./problem.js";

/** The change that a file makes to what is held, which may have changed while it was read. */
export type Change<Held> = (before: Held) => Held;

export interface FileToRead<Held> {
  readonly file: File;
  readonly place: string;
  /** Fails with a sentence where the file is of no use. */
  readonly read: () => Promise<Change<Held>>;
  readonly onTaken?: () => void;
}

export class DroppedFiles<Held> {
  readonly held: Signal<Held>;
  readonly problems: Signal<readonly string[]> = signal([]);
  private readonly wanted: Signal<readonly FileToRead<Held>[]> = signal([]);
  private last = Promise.resolve();

  constructor(nothing: Held) {
    this.held = signal(nothing);
  }

  /** Name of the file that is being read. */
  get reading(): string | null {
    return this.wanted.value.at(0)?.file.name ?? null;
  }

  /** Begins to read files. `refused` are sentences about others that were dropped with them. */
  readonly take = (files: readonly FileToRead<Held>[], refused: readonly string[] = []): void => {
    this.problems.value = refused;
    const places = new Set(files.map(({ place }) => place));
    const others = this.wanted.value.filter(({ place }) => !places.has(place));
    this.wanted.value = [...others, ...files];
    for (const item of files) this.last = this.last.then(() => this.read(item));
  };

  readonly change = (change: Change<Held>): void => {
    this.held.value = change(this.held.value);
  };

  /** Discards the files that are being read for a place. */
  readonly discard = (place: string): void => {
    this.wanted.value = this.wanted.value.filter((item) => item.place !== place);
  };

  readonly closeProblem = (sentence: string): void => {
    this.problems.value = this.problems.value.filter((other) => other !== sentence);
  };

  private async read(item: FileToRead<Held>): Promise<void> {
    const isWanted = (): boolean => this.wanted.value.includes(item);
    if (!isWanted()) return;
    const outcome = await item.read().catch(sentenceOf);
    if (!isWanted()) return;
    batch(() => {
      this.wanted.value = this.wanted.value.filter((other) => other !== item);
      if (typeof outcome === "string") {
        this.problems.value = [...this.problems.value, outcome];
      } else {
        this.change(outcome);
        item.onTaken?.();
      }
    });
  }
}

export interface Dropped<Held> extends Pick<
  DroppedFiles<Held>,
  "reading" | "take" | "change" | "discard" | "closeProblem"
> {
  readonly held: Held;
  readonly problems: readonly string[];
}

export function useDropped<Held>(nothing: Held): Dropped<Held> {
  const [files] = useState(() => new DroppedFiles(nothing));
  const { held, problems, reading, take, change, discard, closeProblem } = files;
  return {
    held: held.value,
    problems: problems.value,
    reading,
    take,
    change,
    discard,
    closeProblem,
  };
}
