/**
 * Asks the server of `gaussianize lab` for runs. Where something else serves the page, there is
 * nobody to ask.
 */
import type { MetricsPart } from "../../../src/runs/run-description.js";

/**
 * Returns the list as the server sent it, which tells whether there is news; null where whoever
 * serves the page knows nothing of runs.
 */
export async function fetchRuns(signal: AbortSignal): Promise<string | null> {
  const response = await fetch("api/runs", { signal });
  // With 5xx, what stands before a server says that it is gone for now.
  if (response.status < 500 && !(response.ok && isJson(response))) return null;
  return textOf(response);
}

export async function fetchMetrics(
  name: string,
  { to, mark }: Pick<MetricsPart, "to" | "mark">,
  signal: AbortSignal,
): Promise<MetricsPart> {
  const query = new URLSearchParams({ from: String(to), mark });
  const response = await fetch(`api/runs/${encodeURIComponent(name)}/metrics?${query}`, { signal });
  return JSON.parse(await textOf(response)) as MetricsPart;
}

/** Whole, since workers have another base than the page. */
export function modelAddress(name: string): string {
  return new URL(`api/runs/${encodeURIComponent(name)}/model`, document.baseURI).href;
}

function isJson({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("application/json") ?? false;
}

async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.ok) return text;
  throw new Error(text);
}
