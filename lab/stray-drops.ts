/** A file that misses its box must not open in place of the page: all that was computed would be gone. */
export function ignoreStrayDrops(): void {
  for (const type of ["dragover", "drop"] as const) {
    addEventListener(type, (event) => {
      const { dataTransfer } = event;
      // Boxes for files have said that they take it; texts may go into fields.
      if (event.defaultPrevented || !dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      dataTransfer.dropEffect = "none";
    });
  }
}
