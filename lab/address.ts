/**
 * The state of a panel as an address that can be shared: `#pairs?data=wavelets&separation=4`.
 * Values equal to their default are omitted. Unknown or invalid values become the default, so old
 * links still open, and {@link addressProblems} names them.
 */
export interface Address {
  readonly panel: string;
  readonly values: ReadonlyMap<string, string>;
}

export function parseAddress(hash: string): Address {
  const [panel, query = ""] = hash.replace(/^#/, "").split("?", 2);
  return { panel, values: new Map(new URLSearchParams(query)) };
}

export function formatAddress({ panel, values }: Address): string {
  const query = new URLSearchParams([...values]).toString();
  return `#${panel}${query === "" ? "" : `?${query}`}`;
}

export interface NumberRange {
  readonly least: number;
  readonly most: number;
}

/** One value of the state of a panel, with its default and its form in the address. */
export interface Setting<T> {
  readonly usual: T;
  /** Allowed numbers. */
  readonly range?: NumberRange;
  /** Returns undefined for a text that is not allowed. */
  parse(text: string): T | undefined;
  format(value: T): string;
}

export function numberSetting(
  usual: number,
  { least, most, isWhole = false }: NumberRange & { readonly isWhole?: boolean },
): Setting<number> {
  return {
    usual,
    range: { least, most },
    parse: (text) => {
      const value = text.trim() === "" ? NaN : Number(text);
      const isAllowed = value >= least && value <= most && (!isWhole || Number.isInteger(value));
      return isAllowed ? value : undefined;
    },
    format: String,
  };
}

/** Seeds of every panel. The commands of `gaussianize` accept all of them. */
export const seedSetting = numberSetting(1, { least: 0, most: 2 ** 31 - 1, isWhole: true });

export function choiceSetting<T extends string>(usual: T, choices: readonly T[]): Setting<T> {
  return {
    usual,
    parse: (text) => choices.find((choice) => choice === text),
    format: (value) => value,
  };
}

export function textSetting(usual: string, longest = 2000): Setting<string> {
  return {
    usual,
    parse: (text) => (text.length <= longest ? text : undefined),
    format: (value) => value,
  };
}

export type Settings<T> = { readonly [K in keyof T]: Setting<T[K]> };

/** State of a panel with settings S. */
export type StateOf<S> = S extends Settings<infer T> ? { readonly [K in keyof T]: T[K] } : never;

/** Returns the state of a panel that an address describes. */
export function readSettings<T extends object>(settings: Settings<T>, { values }: Address): T {
  const entries = Object.entries<Setting<unknown>>(settings).map(([name, setting]) => {
    const text = values.get(name);
    const parsed = text === undefined ? undefined : setting.parse(text);
    return [name, parsed ?? setting.usual] as const;
  });
  return Object.fromEntries(entries) as T;
}

/** Returns messages about values of an address that a panel cannot use. */
export function addressProblems<T extends object>(
  settings: Settings<T>,
  { values }: Address,
): readonly string[] {
  const known = settings as Readonly<Record<string, Setting<unknown> | undefined>>;
  return [...values].flatMap(([name, text]) => {
    const setting = Object.hasOwn(settings, name) ? known[name] : undefined;
    if (!setting) return [`The address has an unknown setting, which is ignored: ${shown(name)}.`];
    if (setting.parse(text) !== undefined) return [];
    return [
      `The address has a value that is not allowed: ${name}=${shown(text)}.${expectedIn(setting)} The default is used.`,
    ];
  });
}

/** " Expected a number from 20 to 5000." */
function expectedIn({ range }: Setting<unknown>): string {
  return range ? ` Expected a number from ${range.least} to ${range.most}.` : "";
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Returns the address that describes the state of a panel. */
export function addressOf<T extends object>(
  panel: string,
  settings: Settings<T>,
  state: NoInfer<T>,
): Address {
  const values = new Map<string, string>();
  for (const [name, setting] of Object.entries<Setting<unknown>>(settings)) {
    const value = (state as Readonly<Record<string, unknown>>)[name];
    if (value !== setting.usual) values.set(name, setting.format(value));
  }
  return { panel, values };
}
