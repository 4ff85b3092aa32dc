/** A stream of text to the user or to the next program. */
export interface Output {
  write(text: string): void;
  /** Whether a person watches: only terminals get colours and redrawn progress lines. */
  readonly isTerminal: boolean;
  /** Width of a terminal in characters. */
  readonly columns?: number;
}

/** Everything a command may do to the world, so that tests run commands in-process. */
export interface Effects {
  /** Results, for the next program in a pipe. */
  readonly stdout: Output;
  /** Progress, warnings and errors. */
  readonly stderr: Output;
  /** Milliseconds from an arbitrary start; never runs backwards. */
  readonly now: () => number;
  /**
   * Calls `act` after some milliseconds, without keeping the program alive. The returned function
   * cancels the call.
   */
  readonly later: (milliseconds: number, act: () => void) => () => void;
  /** Bytes of memory that the program may use. */
  readonly memory: () => number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Makes the first Ctrl-C or SIGTERM abort the returned signal, and only a second one end the
   * program: for commands that have something to save.
   */
  readonly interruption: () => AbortSignal;
  /** Opens an address in the user's browser; returns false if that fails. */
  readonly browse: (address: string) => Promise<boolean>;
}
