/** Remembers the last few results by their names. */
export class LastOnes<T> {
  private readonly known = new Map<string, Promise<T>>();

  constructor(private readonly most: number) {}

  get(key: string, make: () => Promise<T>): Promise<T> {
    const made = this.known.get(key) ?? make();
    // Also moves what was known to the end of the list.
    this.known.delete(key);
    this.known.set(key, made);
    made.catch(() => {
      // Whoever cancelled may want it later.
      if (this.known.get(key) === made) this.known.delete(key);
    });
    for (const oldest of this.known.keys()) {
      if (this.known.size <= this.most) break;
      this.known.delete(oldest);
    }
    return made;
  }
}
