import { Command, CommanderError } from "commander";
import pico from "picocolors";
import { launchOf } from "../node/mpi/launch.js";
import { commands, type CommandEntry } from "./commands.js";
import type { Effects } from "./effects.js";
import { packageVersion } from "./package-version.js";
import { oneLine } from "./text.js";

const programName = "gaussianize";
const succeeded = 0;
const failed = 1;
const misused = 2;

/** Runs one command line and returns its exit code: 0 success, 1 failure, 2 wrong usage. */
export async function run(
  argv: readonly string[],
  effects: Effects,
  registry: readonly CommandEntry[] = commands,
): Promise<number> {
  const chosen = chosenCommand(argv, registry);
  try {
    requireTopic(argv, chosen);
    await (await createProgram(effects, registry, chosen)).parseAsync(argv, { from: "user" });
    return succeeded;
  } catch (error) {
    return report(error, chosen, effects, argv);
  }
}

/** The command that the line names, also in `help <command>`. */
function chosenCommand(
  argv: readonly string[],
  registry: readonly CommandEntry[],
): CommandEntry | undefined {
  const [word, topic] = wordsOf(argv);
  return registry.find(({ name }) => name === (word === "help" ? topic : word));
}

function wordsOf(argv: readonly string[]): readonly (string | undefined)[] {
  return argv.filter((word) => !word.startsWith("-"));
}

/** Refuses `help nonsense`, which commander would answer with the help of all commands. */
function requireTopic(argv: readonly string[], chosen: CommandEntry | undefined): void {
  const [word, topic] = wordsOf(argv);
  if (word !== "help" || topic === undefined || topic === "help" || chosen) return;
  throw new CommanderError(misused, "commander.unknownCommand", `unknown command '${topic}'`);
}

/** Only the chosen command is loaded: `--help` must not wait for what it does not run. */
async function createProgram(
  effects: Effects,
  registry: readonly CommandEntry[],
  chosen: CommandEntry | undefined,
): Promise<Command> {
  const program = new Command(programName)
    .description("Density models of images by generalized divisive normalization.")
    .usage("<command> [options]")
    .version(packageVersion(), "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .option("--debug", "print the stack of an error")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => {
        effects.stdout.write(text);
      },
      writeErr: (text) => {
        effects.stderr.write(text);
      },
      // `report` prints the sentence, once, in our form.
      outputError: () => undefined,
      getOutHasColors: () => colorsWanted(effects, "stdout"),
      getErrHasColors: () => colorsWanted(effects, "stderr"),
    })
    .exitOverride();
  for (const entry of registry) {
    const command = program.command(entry.name).summary(entry.summary).description(entry.summary);
    if (entry === chosen) (await entry.load()).configure(command, effects);
  }
  return program;
}

function report(
  error: unknown,
  chosen: CommandEntry | undefined,
  effects: Effects,
  argv: readonly string[],
): number {
  if (error instanceof CommanderError && error.exitCode === 0) return succeeded;
  // Help in place of a missing command has been printed already; it explains itself.
  if (error instanceof CommanderError && error.code === "commander.help") return misused;
  const where = chosen ? `${programName} ${chosen.name}` : programName;
  const exitCode = exitCodeOf(error);
  // A launcher ends all processes as soon as one fails: whoever speaks must not be among them
  // before it has.
  if (wasTold(error, exitCode, effects, argv)) return succeeded;
  const advice = exitCode === misused ? ` See "${where} --help".` : "";
  const { red } = pico.createColors(colorsWanted(effects, "stderr"));
  effects.stderr.write(`${red(`${where}:`)} ${sentenceOf(error)}${advice}\n${commandOf(error)}`);
  if (argv.includes("--debug") && error instanceof Error)
    effects.stderr.write(`${error.stack ?? ""}\n`);
  return exitCode;
}

/**
 * Of the processes of a job one speaks; that all of them were started with a wrong command line,
 * the first one knows, too.
 */
function wasTold(
  error: unknown,
  exitCode: number,
  { environment }: Effects,
  argv: readonly string[],
): boolean {
  // Processes that do not work together may have been started with other words.
  const isOfJob = /(^| )--distributed[ =](?!none)/.test(argv.join(" "));
  if (isOfJob && exitCode === misused && launchOf(environment).rank > 0) return true;
  return error instanceof Error && "wasTold" in error && error.wasTold === true;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return misused;
  // UsageError carries its code; reading the property avoids loading the library for its class.
  const carried = error instanceof Error && "exitCode" in error ? error.exitCode : failed;
  return typeof carried === "number" ? carried : failed;
}

/** One sentence on one line, whatever was in the names of files and in the message of a library. */
function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error);
  const text = oneLine(inOurForm(message).trim());
  return /[.?!:]$/.test(text) ? text : `${text}.`;
}

/** A command that an error tells to paste, alone on its line. */
function commandOf(error: unknown): string {
  if (!(error instanceof Error && "command" in error)) return "";
  return `  ${oneLine(String(error.command))}\n`;
}

/**
 * What commander says in the form of our own sentences:
 *
 *   error: unknown option '--sed'\n(Did you mean --seed?)
 *   → unknown option '--sed'. Did you mean --seed?
 *
 *   error: option '--seed <n>' argument 'x' is invalid. It must be …
 *   → --seed must be …; received "x"
 */
function inOurForm(message: string): string {
  const refused =
    /^error: (?:option|command-argument value) '(.*)' (?:argument|is invalid for argument) '(.*)'(?: is invalid)?\. It (must .*?)\.?$/s.exec(
      message,
    );
  if (refused) {
    const [, first, second, rule] = refused;
    const [name, value] = message.startsWith("error: option")
      ? [first.replace(/ [<[].*$/, ""), second]
      : [`the argument ${second}`, first];
    return `${name} ${rule}; received "${value}"`;
  }
  return message.replace(/^error: /, "").replace(/\n\((Did you mean .*\?)\)$/s, ". $1");
}

function colorsWanted(effects: Effects, stream: "stdout" | "stderr"): boolean {
  return effects[stream].isTerminal && !effects.environment.NO_COLOR;
}
