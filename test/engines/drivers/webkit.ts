/** Launches WebKitGTK: MiniBrowser on a virtual display, with WebKitWebDriver. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { complaintsOf, openComplaintProxy } from "./complaint-proxy.js";
import {
  type Engine,
  type EnginePage,
  MissingBrowser,
  limitInMilliseconds,
  viewport,
} from "./engine.js";
import { WebDriverSession } from "./web-driver.js";

const driverPath = "/usr/bin/WebKitWebDriver";
const displayPath = "/usr/bin/Xvfb";

export async function openWebKit(): Promise<Engine> {
  const binary = findMiniBrowser();
  if (binary === undefined || !existsSync(driverPath) || !existsSync(displayPath)) {
    throw new MissingBrowser("No WebKitGTK was found: install webkit2gtk-driver and xvfb.");
  }
  const display = await startDisplay();
  const port = await freePort();
  const driver = spawn(driverPath, [`--port=${port}`], {
    stdio: "ignore",
    env: { ...process.env, DISPLAY: display.name, LIBGL_ALWAYS_SOFTWARE: "1", GDK_BACKEND: "x11" },
  });
  const server = `http://127.0.0.1:${port}`;
  await untilReady(server, driver);
  const close = async (): Promise<void> => {
    await ended(driver);
    await ended(display.process);
  };
  try {
    const version = await versionOf(server, binary);
    return { version, open: (address) => openPage(server, binary, address), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPage(server: string, binary: string, address: string): Promise<EnginePage> {
  const session = await WebDriverSession.open(server, capabilities(binary));
  await session.limit(limitInMilliseconds);
  await session.resize(viewport);
  // WebDriver cannot report the console.
  const proxy = await openComplaintProxy(address);
  await session.goTo(proxy.address);
  return {
    evaluate: (body) => session.evaluate(body),
    click: (xpath) => session.click(xpath),
    async screenshot() {
      // Waits for two frames, so that the screenshot shows the last change.
      await session.evaluate(
        "await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));",
      );
      return session.screenshot();
    },
    complaints: () => complaintsOf(session),
    async close() {
      await session.close();
      await proxy.close();
    },
  };
}

const capabilities = (binary: string): object => ({
  "webkitgtk:browserOptions": { binary, args: ["--automation"] },
});

async function versionOf(server: string, binary: string): Promise<string> {
  const session = await WebDriverSession.open(server, capabilities(binary));
  await session.close();
  return session.browser.replace(/^\S+/, "WebKitGTK");
}

function findMiniBrowser(): string | undefined {
  const folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/libexec"];
  return folders
    .filter(existsSync)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => /\/webkit(2?gtk)-[^/]*$/.test(path))
    .map((path) => join(path, "MiniBrowser"))
    .find(existsSync);
}

/** Starts a display. The X server chooses a free number and reports it when it is ready. */
async function startDisplay(): Promise<{ readonly name: string; readonly process: ChildProcess }> {
  const { width, height } = viewport;
  const screen = `${width}x${height + 100}x24`;
  const server = spawn(
    displayPath,
    ["-displayfd", "3", "-nolisten", "tcp", "-screen", "0", screen],
    {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    },
  );
  const [number] = (await once(server.stdio[3] as Readable, "data")) as [Buffer];
  return { name: `:${number.toString().trim()}`, process: server };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Polls the driver until it answers or has ended. */
async function untilReady(server: string, driver: ChildProcess): Promise<void> {
  while (driver.exitCode === null) {
    const answer = await fetch(`${server}/status`).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error(`WebKitWebDriver ended with code ${driver.exitCode} before it listened.`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill();
  await exit;
}
