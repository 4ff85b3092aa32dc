/** A small common interface to different browsers. */

export interface EnginePage {
  /** Runs the body of an async function in the page, and returns its result as JSON. */
  evaluate<T>(body: string): Promise<T>;
  /** Clicks the first element that an XPath finds, as a user would. */
  click(xpath: string): Promise<void>;
  /** Returns a PNG of the visible part. */
  screenshot(): Promise<Uint8Array>;
  /** Returns errors of the console and uncaught errors. */
  complaints(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Engine {
  /** Name and version of the browser. */
  readonly version: string;
  open(address: string): Promise<EnginePage>;
  close(): Promise<void>;
}

/** Thrown when a browser is missing; its sentence names the package to install. */
export class MissingBrowser extends Error {}

export const viewport = { width: 1280, height: 900 } as const;

/** Time limit of every call to a page. */
export const limitInMilliseconds = 60_000;

/** Calls of half the time limit until a test that hangs ends: a busy machine is slow, not wrong. */
const mostRounds = 6;

/** Waits until an expression is true in the page, which checks it every 50 ms. */
export async function waitFor(page: EnginePage, expression: string): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    const isTrue = await page.evaluate<boolean>(`
      const end = Date.now() + ${limitInMilliseconds / 2};
      while (Date.now() < end) {
        if (${expression}) return true;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return false;`);
    if (isTrue) return;
  }
  const shown = await page.evaluate<string>("return document.querySelector('main')?.innerText;");
  const complaints = (await page.complaints()).join(" ");
  throw new Error(`${expression} did not become true. ${complaints} The page shows:\n${shown}`);
}
