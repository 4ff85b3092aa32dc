/** Cache of the most recently used results. */
export class LastOnes<T> {
  private readonly known = new Map<string, Promise<T>>();

  constructor(private readonly most: number) {}

  get(key: string, make: () => Promise<T>): Promise<T> {
    const made = this.known.get(key) ?? make();
    // Moves the entry to the end of the map, which is ordered by age.
    this.known.delete(key);
    this.known.set(key, made);
    made.catch(() => {
      // A failed or cancelled result can be asked for again.
      if (this.known.get(key) === made) this.known.delete(key);
    });
    for (const oldest of this.known.keys()) {
      if (this.known.size <= this.most) break;
      this.known.delete(oldest);
    }
    return made;
  }
}
