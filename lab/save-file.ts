/** Hands a file to the browser, which asks where to keep it or puts it among the downloads. */
export function saveFile(name: string, contents: BlobPart): void {
  const url = URL.createObjectURL(new Blob([contents]));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the download may not have begun.
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}
