import { Command, CommanderError, Help, Option } from "commander";
import pico from "picocolors";
import { launchOf } from "../node/mpi/launch.js";
import { commands, type CommandEntry } from "./commands.js";
import type { Effects } from "./effects.js";
import { packageVersion } from "./package.js";
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

/** Returns the command that the line names, also in `help <command>`. */
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

/** Rejects `help nonsense`, which commander would answer with the list of commands. */
function requireTopic(argv: readonly string[], chosen: CommandEntry | undefined): void {
  const [word, topic] = wordsOf(argv);
  if (word !== "help" || topic === undefined || topic === "help" || chosen) return;
  throw new CommanderError(misused, "commander.unknownCommand", `unknown command '${topic}'`);
}

/** Loads the chosen command only, so that `--help` starts at once. */
async function createProgram(
  effects: Effects,
  registry: readonly CommandEntry[],
  chosen: CommandEntry | undefined,
): Promise<Command> {
  const debug = new Option("--debug", "print the stack trace of an error").helpGroup("General:");
  const program = new Command(programName)
    .description("Density models of images by generalized divisive normalization.")
    .usage("<command> [options]")
    .optionsGroup("General:")
    .version(packageVersion(), "--version", "print the version")
    .addHelpOption(new Option("-h, --help", "print this help").helpGroup("General:"))
    .helpCommand("help [command]", "print the help of a command")
    .addOption(debug)
    .configureHelp({
      // Commands show --debug, too.
      visibleOptions: (command) => {
        const own = new Help().visibleOptions(command);
        return command.parent ? [...own, debug] : own;
      },
    })
    .configureOutput({
      writeOut: (text) => {
        effects.stdout.write(text);
      },
      writeErr: (text) => {
        effects.stderr.write(text);
      },
      // `report` prints the error.
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
  // Commander has already printed the help that stands in for a missing command.
  if (error instanceof CommanderError && error.code === "commander.help") return misused;
  const where = chosen ? `${programName} ${chosen.name}` : programName;
  const exitCode = exitCodeOf(error);
  // A launcher ends all processes as soon as one fails: silent ones must not fail before rank 0 has
  // printed the error.
  if (wasTold(error, exitCode, effects, argv)) return succeeded;
  const advice = exitCode === misused ? ` See "${where} --help".` : "";
  const { red } = pico.createColors(colorsWanted(effects, "stderr"));
  effects.stderr.write(`${red(`${where}:`)} ${sentenceOf(error)}${advice}\n${commandOf(error)}`);
  if (argv.includes("--debug") && error instanceof Error)
    effects.stderr.write(`${error.stack ?? ""}\n`);
  return exitCode;
}

/** Returns whether rank 0 of a distributed fit prints this error for all processes. */
function wasTold(
  error: unknown,
  exitCode: number,
  { environment }: Effects,
  argv: readonly string[],
): boolean {
  // With --distributed none, each process may have another command line.
  const isOfJob = /(^| )--distributed[ =](?!none)/.test(argv.join(" "));
  if (isOfJob && exitCode === misused && launchOf(environment).rank > 0) return true;
  return error instanceof Error && "wasTold" in error && error.wasTold === true;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return misused;
  // UsageError has an exitCode; reading it avoids loading the library for the class.
  const carried = error instanceof Error && "exitCode" in error ? error.exitCode : failed;
  return typeof carried === "number" ? carried : failed;
}

/** Returns the message as one sentence on one line, whatever file names it contains. */
function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error);
  const text = oneLine(inOurForm(message).trim());
  return /[.?!:]$/.test(text) ? text : `${text}.`;
}

/** Returns the command that an error asks the reader to paste, alone on its line. */
function commandOf(error: unknown): string {
  if (!(error instanceof Error && "command" in error)) return "";
  return `  ${oneLine(String(error.command))}\n`;
}

/**
 * Rewrites commander's messages in the form of our own:
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
