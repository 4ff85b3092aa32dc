import { describe, expect, test } from "vitest";
import { serveSite } from "../support/bundled-page.js";
import { waitFor } from "./drivers/engine.js";
import { engineNames, launchBeforeTests } from "./drivers/engines.js";

const page = `<!doctype html>
  <title>What a driver sees</title>
  <script>
    function press() {
      console.error("said aloud");
      document.title = "clicked";
      throw new Error("not caught");
    }
  </script>
  <button onclick="press()">Press</button>`;

describe.each(engineNames)("the driver of %s", (name) => {
  const openPage = launchBeforeTests(name);

  test("clicks, evaluates, and reports errors of the console and uncaught errors", async (context) => {
    const server = await serveSite(new Map([["index.html", page]]));
    context.onTestFinished(() => server.close());
    const open = await openPage(context, server.address);
    // Some browsers ask for an icon, at any moment.
    const complaints = async (): Promise<string[]> =>
      (await open.complaints()).filter((text) => !text.includes("404"));
    expect(await complaints()).toEqual([]);
    await open.click("//button[normalize-space()='Press']");
    await waitFor(open, "document.title === 'clicked'");
    await expect.poll(async () => (await complaints()).join("\n")).toContain("not caught");
    expect(await complaints()).toEqual([
      expect.stringContaining("said aloud"),
      expect.stringContaining("not caught"),
    ]);
    expect(await open.evaluate("return { sum: await Promise.resolve(1 + 2) };")).toEqual({
      sum: 3,
    });
    await expect(open.evaluate("throw new Error('of the body');")).rejects.toThrow("of the body");
    const start = (await open.screenshot()).subarray(1, 4);
    expect(new TextDecoder().decode(start)).toBe("PNG");
  });
});
