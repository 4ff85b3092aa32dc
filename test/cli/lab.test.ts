import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run } from "../../cli/run.js";
import { recordEffects } from "../support/commands.js";
import { temporaryFolder } from "../support/folders.js";

const folder = await temporaryFolder("lab-command");

/** Runs the command until it has printed an address, looks there, and interrupts it. */
async function runLab(...words: readonly string[]) {
  const controller = new AbortController();
  const effects = { ...recordEffects(), interruption: () => controller.signal };
  const ended = run(["lab", "--port", "0", ...words], effects);
  const address = await Promise.race([
    expect.poll(() => /http:[^"\n]*/.exec(effects.printed.stdout)?.[0]).toBeDefined(),
    ended,
  ]).then(() => /http:[^"\n]*/.exec(effects.printed.stdout)?.[0] ?? "");
  const response = address === "" ? undefined : await fetch(address);
  controller.abort();
  return { code: await ended, page: await response?.text(), address, ...effects };
}

describe("gaussianize lab", () => {
  test("prints its address, serves the page, and ends with Ctrl-C", async () => {
    const { code, page, address, printed } = await runLab();
    expect(code).toBe(0);
    expect(page).toContain("<title>gaussianize lab</title>");
    expect(printed).toEqual({ stdout: `${address}\n`, stderr: "Press Ctrl-C to stop the lab.\n" });
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    await expect(fetch(address)).rejects.toThrow();
  });

  test("--json prints the address as JSON, --open reports a missing browser", async () => {
    const { printed, browsed, address } = await runLab("--json", "--open", folder);
    expect(JSON.parse(printed.stdout)).toEqual({ address });
    expect(browsed).toEqual([address]);
    expect(printed.stderr).toContain("Cannot open a browser");
  });

  test("warns if others can reach it", async () => {
    const { printed, address } = await runLab("--host", "0.0.0.0", folder);
    expect(printed.stderr).toMatch(
      /^Warning: anyone who can reach 0\.0\.0\.0 can open the lab and the runs in /,
    );
    expect(address).toMatch(/^http:\/\/localhost:/);
  });

  test("names a port that is taken, and a folder that is missing", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const taken = recordEffects();
    expect(await run(["lab", "--port", String(port)], taken)).toBe(1);
    expect(taken.printed.stderr).toBe(
      `gaussianize lab: Cannot listen on port ${port} of 127.0.0.1: another program uses it.\n`,
    );
    other.close();
    const missing = recordEffects();
    expect(await run(["lab", join(folder, "nothing")], missing)).toBe(1);
    expect(missing.printed.stderr).toBe(
      `gaussianize lab: There is no folder ${join(folder, "nothing")}.\n`,
    );
  });

  test.each([["--port", "65536"], ["--port", "x"], ["--host", "a b"], [""], ["a", "b"]])(
    "%s %s is wrong usage",
    async (...words) => {
      const effects = recordEffects();
      expect(await run(["lab", ...words], effects)).toBe(2);
      expect(effects.printed.stderr.trim().split("\n")).toHaveLength(1);
    },
  );

  test("SIGINT ends the program with code 0", async () => {
    const child = spawn(process.execPath, ["dist/cli/main.js", "lab", "--port", "0"]);
    let stdout = "";
    child.stdout.on("data", (text) => {
      stdout += String(text);
      child.kill("SIGINT");
    });
    const code = await new Promise((resolve) => child.once("exit", resolve));
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^http:/)]);
  });
});
