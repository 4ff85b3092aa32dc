/**
 * Object URLs of blobs, one for each blob: a browser decodes a picture once for each address, and a
 * picture of 12 megapixels takes 48 MB.
 */
interface Entry {
  readonly address: string;
  users: number;
}

const entries = new Map<Blob, Entry>();

/** Returns the address of a blob. Each call needs a {@link releaseBlob}. */
export function addressOfBlob(blob: Blob): string {
  const entry = entries.get(blob) ?? { address: URL.createObjectURL(blob), users: 0 };
  entry.users++;
  entries.set(blob, entry);
  return entry.address;
}

/** Revokes the address when nobody uses it. */
export function releaseBlob(blob: Blob): void {
  const entry = entries.get(blob);
  if (!entry || --entry.users > 0) return;
  entries.delete(blob);
  URL.revokeObjectURL(entry.address);
}
