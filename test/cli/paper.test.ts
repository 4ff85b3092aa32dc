import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { run } from "../../cli/run.js";
import { experiments } from "../../paper/experiments.js";
import { type Ran, expectRefusal, runCommand, recordEffects } from "../support/commands.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gaussianize-paper-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A report of two experiments, for more than one test. */
let reportRun: Promise<{ readonly output: string; readonly first: Ran }>;
beforeAll(() => {
  const output = join(folder, "report");
  reportRun = runCommand("paper", "negentropy", "samples", ...quick, "-o", output).then(
    (first) => ({ output, first }),
  );
});

interface Results {
  readonly format: string;
  readonly seed: number;
  readonly quick: boolean;
  readonly experiments: readonly {
    readonly name: string;
    readonly numbers: readonly {
      readonly name: string;
      readonly value: number;
      readonly standardError: number | null;
      readonly unit: string;
      readonly paper: number | null;
      readonly command: string;
      readonly seed: number;
      readonly dataHash: string;
      readonly fit: { readonly command: string; readonly model: string; readonly seconds: number };
    }[];
  }[];
}

/** Fits that are hardly begun: what they give is not the matter here. */
const quick = ["--quick", "--steps", "3", "--workers", "1"];

async function timesOf(fits: string): Promise<Record<string, number>> {
  const names = (await readdir(fits)).sort();
  const entries = names.map(async (name) => {
    const { mtimeMs } = await stat(join(fits, name, "model.safetensors"));
    return [name, mtimeMs] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

describe("gaussianize paper", () => {
  test("lists the experiments with their section, data and time", async () => {
    const { code, stdout } = await runCommand("paper", "list");
    expect(code).toBe(0);
    for (const { name, title, section, data } of experiments) {
      const line = stdout.split("\n").find((each) => each.startsWith(name));
      expect(line).toContain(`${title}: ${section}`);
      expect(line).toContain(data.join(", "));
      expect(line).toMatch(/\d (min|h)/);
    }
    expect((await runCommand("paper")).stdout).toBe(stdout);
  });

  test("suggests the nearest name, and asks for the folder of the report", async () => {
    expectRefusal(await runCommand("paper", "sampels"), 2, "(did you mean samples?)");
    expectRefusal(await runCommand("paper", "all"), 2, "Give -o");
    expectRefusal(await runCommand("paper", "list", "samples"), 2, "Give either list or names");
    expectRefusal(
      await runCommand("paper", "--quick", "-o", "r"),
      2,
      "Which experiments? Give all",
    );
  });

  test("leaves the experiments that take hours to their names", async () => {
    const long = experiments.filter(({ isLong }) => isLong).map(({ name }) => name);
    expect(long).toEqual(["cascade-paper", "cascade-vanhateren", "ideas", "other-patches"]);
    const { stdout } = await runCommand("paper", "list");
    expect(stdout).toContain(
      "It leaves out cascade-paper, cascade-vanhateren, ideas and other-patches.",
    );
    const { stdout: help } = await runCommand("paper", "--help");
    for (const name of ["cascade-paper", "ideas", "other-patches"])
      expect(help).toContain(`paper ${name} --data`);
  });

  test("has no quick version of the cascades of the paper's size", async () => {
    for (const name of ["cascade-paper", "cascade-vanhateren"]) {
      expectRefusal(
        await runCommand("paper", "all", name, "--quick", "-o", join(folder, "long")),
        2,
        `${name} has no quick version`,
      );
    }
  });

  test("explains how to get missing data before any work", async () => {
    const output = join(folder, "nothing");
    expectRefusal(
      await runCommand("paper", "all", "--data", folder, "-o", output),
      1,
      `vanhateren is not in ${folder}: gaussianize data fetch vanhateren, or --data; or use --quick`,
    );
    await expect(stat(output)).rejects.toThrow(/ENOENT/);
  });

  test("keeps finished work when it is interrupted, and prints the command to resume", async () => {
    const output = join(folder, "interrupted");
    const line = ["paper", "filters", ...quick, "-o", output];
    const controller = new AbortController();
    const { printed, ...effects } = recordEffects();
    const code = await run(line, {
      ...effects,
      interruption: () => controller.signal,
      stderr: {
        isTerminal: false,
        write: (text) => {
          effects.stderr.write(text);
          if (!text.startsWith("GDN: 3 steps")) return;
          controller.abort(Object.assign(new Error("Interrupted by SIGINT."), { exitCode: 130 }));
        },
      },
    });
    expect(code).toBe(130);
    expect(printed.stderr).toContain(
      `steps are kept. Resume with:\n  gaussianize paper filters -o ${output} --quick --steps 3 --seed 1`,
    );
    const again = await runCommand(...line);
    expect(again.code, again.stderr).toBe(0);
    expect(again.stdout).toContain("exponent α, median");
  });

  test("writes a report and results, and reuses fits", async () => {
    const { output, first } = await reportRun;
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toMatch(/ΔJ of GDN, without noise: −\d\.\d+ ± \d\.\d+ nats per pixel/);
    const results = JSON.parse(await readFile(join(output, "results.json"), "utf8")) as Results;
    expect(results).toMatchObject({ format: "gaussianize-paper", seed: 1, quick: true });
    expect(results.experiments.map(({ name }) => name)).toEqual(["negentropy", "samples"]);
    const [{ numbers }] = results.experiments;
    expect(numbers.map(({ paper }) => paper)).toEqual([-2.04, -2.11, -2.43]);
    for (const number of numbers) {
      expect(number.value).toBeLessThan(-1);
      expect(number.standardError).toBeGreaterThan(0);
      expect(number.command).toBe(
        `gaussianize paper negentropy -o ${output} --quick --steps 3 --seed 1`,
      );
      expect(number.dataHash).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(number.fit.command).toContain("gaussianize fit --embedded --patch 8 --model");
      expect(number.fit.seconds).toBeGreaterThan(0);
    }
    const page = await readFile(join(output, "report.html"), "utf8");
    for (const text of ["Negentropy reduction", "Samples", "−2.43", "<svg", "data:image/png"]) {
      expect(page).toContain(text);
    }
    expect(page).not.toMatch(/(src|href)="(?!data:|https:|#)/);

    const fits = join(output, "fits");
    const before = await timesOf(fits);
    expect(Object.keys(before)).toEqual([
      "embedded8-gdn-steps3",
      "embedded8-ica-mg-steps3",
      "embedded8-rg-steps3",
    ]);
    // One is lost, the others are kept; the numbers are the same.
    await rm(join(fits, "embedded8-rg-steps3", "model.safetensors"));
    const again = await runCommand(
      "paper",
      "negentropy",
      ...quick,
      "-o",
      output,
      "--again",
      "--json",
    );
    expect(again.code, again.stderr).toBe(0);
    const after = await timesOf(fits);
    expect(after["embedded8-gdn-steps3"]).toBe(before["embedded8-gdn-steps3"]);
    expect(after["embedded8-rg-steps3"]).toBeGreaterThan(before["embedded8-rg-steps3"]);
    const repeated = JSON.parse(again.stdout) as Results;
    expect(repeated.experiments[0].numbers.map(({ value }) => value)).toEqual(
      numbers.map(({ value }) => value),
    );
  });

  test("joins the results of several commands in one report, and repeats nothing", async () => {
    const output = join(folder, "joined");
    const line = (...names: string[]) => runCommand("paper", ...names, ...quick, "-o", output);
    // Not in the order of the paper.
    expect((await line("filters")).code).toBe(0);
    const second = await line("samples");
    expect(second.code, second.stderr).toBe(0);
    expect(second.stderr).not.toContain("reused");
    const read = (name: string) => readFile(join(output, name), "utf8");
    const results = JSON.parse(await read("results.json")) as Results & { command: string };
    expect(results.experiments.map(({ name }) => name)).toEqual(["samples", "filters"]);
    expect(results.command).toContain("gaussianize paper samples filters -o");
    const page = await read("report.html");
    expect(page.indexOf("Samples</h2>")).toBeGreaterThan(0);
    expect(page.indexOf("What the fit learned</h2>")).toBeGreaterThan(page.indexOf("Samples</h2>"));

    const third = await line("filters");
    expect(third.stderr).toContain("filters: reused (repeat it with --again)");
    expect(third.stdout).toContain("exponent α, median");
    expect(await read("report.html")).toBe(page);

    // One that is damaged, or that somebody wrote into, is made again.
    const file = join(output, "experiments", "filters-quick-steps3.json");
    const kept = await readFile(file, "utf8");
    for (const content of ['{"format":', kept.replace("<svg", "<script>1</script><svg"), "null"]) {
      await writeFile(file, content);
      const again = await line("filters");
      expect(again.code, again.stderr).toBe(0);
      expect(again.stderr).not.toContain("reused");
      expect(await read("report.html")).not.toContain("<script>");
    }
  });

  test("writes the report as Markdown with figures as files", async () => {
    const { output } = await reportRun;
    const text = await readFile(join(output, "results.md"), "utf8");
    expect(text).toMatch(
      /\| ΔJ of GDN, without noise \| −2\.43 \| −\d\.\d+ ± \d\.\d+ \| nats per pixel \|/,
    );
    const links = [...text.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, link]) => link);
    expect(links).toContain("figures/negentropy-1.svg");
    expect(await readFile(join(output, links[0]), "utf8")).toMatch(/^<svg [^]*<\/svg>\n$/);
  });
});
