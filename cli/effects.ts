/** A stream of text to the user or to the next program. */
export interface Output {
  write(text: string): void;
  /** Whether a person looks at it: colours and redrawn progress lines are for people only. */
  readonly isTerminal: boolean;
  /** Of a terminal: characters that fit in a line. */
  readonly columns?: number;
}

/** All a command may do to the world, so that tests run commands in-process. */
export interface Effects {
  /** Data only: what the next program in a pipe wants to read. */
  readonly stdout: Output;
  /** Everything else: progress, remarks, errors. */
  readonly stderr: Output;
  /** Milliseconds from an arbitrary start; never runs backwards. */
  readonly now: () => number;
  /**
   * Calls `act` after some milliseconds, unless the returned function is called before. It keeps no
   * program alive.
   */
  readonly later: (milliseconds: number, act: () => void) => () => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * From now on Ctrl-C and SIGTERM abort this signal rather than end the program; a second one ends
   * it. For commands that have something to save.
   */
  readonly interruption: () => AbortSignal;
  /** Shows an address of http in the user's browser; false where there is none to show it in. */
  readonly browse: (address: string) => Promise<boolean>;
}
