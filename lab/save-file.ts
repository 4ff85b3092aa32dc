/** Downloads a file. */
export function saveFile(name: string, contents: BlobPart): void {
  const url = URL.createObjectURL(new Blob([contents]));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Later, because the download may not have started yet.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
