/**
 * One Chromium for all test files of a run, launched before the first and closed after the last.
 */
import { type Browser, chromium } from "playwright-core";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";
import { chromiumIsRequired, serveChromium } from "./chromium.js";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the browser, or the reason why it is missing. */
    chromium: { readonly address: string } | { readonly problem: string };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await serveChromium();
  if (typeof server === "string") {
    if (chromiumIsRequired) throw new Error(server);
    console.warn(`Browser tests: SKIPPED. ${server}`);
    project.provide("chromium", { problem: server });
    return () => Promise.resolve();
  }
  project.provide("chromium", { address: server.wsEndpoint() });
  return () => server.close();
}

/**
 * Connects to the browser of the run, or returns the reason why it cannot. Closing the result only
 * ends the connection.
 */
export async function connectChromium(): Promise<Browser | string> {
  const given = inject("chromium");
  return "problem" in given ? given.problem : chromium.connect(given.address);
}
