/** Durations and sentences as people read them. */

/**
 * A line break or an escape sequence in a file name, or in a model from elsewhere, stays visible
 * and harmless.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `\\u${code}`;
  });
}

/** 8 s, 3 min 5 s, 2 h 10 min */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "unknown time";
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Columns of a page that one reads without turning one's head. */
const widest = 100;

/** Broken between words, all lines but the first indented. */
export function wrapped(sentence: string, indent = "  "): string {
  const lines = [""];
  for (const word of oneLine(sentence).split(" ")) {
    const line = lines[lines.length - 1];
    if (line.trim() === "") lines[lines.length - 1] = line + word;
    else if (line.length + 1 + word.length <= widest) lines[lines.length - 1] += ` ${word}`;
    else lines.push(indent + word);
  }
  return lines.join("\n");
}
