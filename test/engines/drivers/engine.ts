/** One small interface to different browsers: what the tests of engines need, and no more. */

export interface EnginePage {
  /** Runs the body of an async function in the page; what it returns crosses as JSON. */
  evaluate<T>(body: string): Promise<T>;
  /** Clicks the first element that an XPath finds, as a user would. */
  click(xpath: string): Promise<void>;
  /** A PNG of what is visible. */
  screenshot(): Promise<Uint8Array>;
  /** Errors on the console, and uncaught errors. */
  complaints(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface Engine {
  /** As the browser calls itself, with its version. */
  readonly version: string;
  open(address: string): Promise<EnginePage>;
  close(): Promise<void>;
}

/** Thrown when a browser is missing; its sentence names the package to install. */
export class MissingBrowser extends Error {}

export const viewport = { width: 1280, height: 900 } as const;

/** For whatever a page is asked. */
export const limitInMilliseconds = 60_000;

/** Waits until an expression is true in the page: it is asked in the page, at every frame or so. */
export async function waitFor(page: EnginePage, expression: string): Promise<void> {
  const isTrue = await page.evaluate<boolean>(`
    const end = Date.now() + ${limitInMilliseconds / 2};
    while (Date.now() < end) {
      if (${expression}) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;`);
  if (isTrue) return;
  const shown = await page.evaluate<string>("return document.querySelector('main')?.innerText;");
  const complaints = (await page.complaints()).join(" ");
  throw new Error(`The page did not come to ${expression}. ${complaints} It shows:\n${shown}`);
}
