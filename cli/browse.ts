/** Shows an address in the browser that the system has for that. */
import { spawn } from "node:child_process";

const programs: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  // The empty text is the title of a window, which `start` takes the first quoted word for.
  win32: ["cmd", "/c", "start", '""'],
};

/** Long enough to fail; a program that takes longer is at work. */
const patience = 3000;

export function browse(address: string): Promise<boolean> {
  const [program, ...words] = programs[process.platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program, [...words, address], { stdio: "ignore", detached: true });
    const timer = setTimeout(() => {
      resolve(true);
    }, patience);
    const settle = (isShown: boolean): void => {
      clearTimeout(timer);
      resolve(isShown);
    };
    child.once("error", () => {
      settle(false);
    });
    child.once("exit", (code) => {
      settle(code === 0);
    });
    child.unref();
  });
}
