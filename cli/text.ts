/** Durations, counts and sentences as people read them. */
import { thousands } from "../src/numbers/format-number.js";

/** Escapes line breaks and control characters, which a file name or a model may contain. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${code}`;
  });
}

/** Formats seconds: 8 s, 3 min 5 s, 2 h 10 min. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "unknown time";
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Formats a count with its noun: 1 image, 1,200 patches. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${thousands(count)} ${count === 1 ? noun : plural}`;
}

/** Quotes a path for a shell where that is needed. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

const widest = 100;

/** Breaks a sentence at 100 columns; `start` indents the first line, `indent` the others. */
export function wrapped(sentence: string, indent = "  ", start = ""): string {
  const lines = [start];
  for (const word of oneLine(sentence).split(" ")) {
    const line = lines[lines.length - 1];
    if (line.trim() === "") lines[lines.length - 1] = line + word;
    else if (line.length + 1 + word.length <= widest) lines[lines.length - 1] += ` ${word}`;
    else lines.push(indent + word);
  }
  return lines.join("\n");
}
