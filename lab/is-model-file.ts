/** By its name: what is in it is found out by whoever reads it. */
export function isModelFile({ name }: File): boolean {
  return /\.safetensors$/i.test(name);
}
