/** Whether the page lets a job go on. */
export class Hold {
  private isHeld = false;
  private waiting: (() => void)[] = [];

  constructor(signal: AbortSignal) {
    // Whoever cancels does not want it to wait any longer.
    signal.addEventListener("abort", () => {
      this.set(false);
    });
  }

  set(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (isHeld) return;
    for (const goOn of this.waiting.splice(0)) goOn();
  }

  /** Done when the job may go on. */
  wait(): Promise<void> {
    if (!this.isHeld) return Promise.resolve();
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }
}
