/** Help pages that list commands: all of them, or those of one family. */
import { nearestName } from "@svc/contract";
import { generalError } from "../runtime/cli-error.ts";
import {
  GLOBAL_OPTIONS,
  GLOBAL_OPTIONS_TITLE,
  HELP_OPTION,
  VERSION_OPTION,
} from "../runtime/global-options.ts";
import { COMMANDS, type CommandEntry, GROUPS, TOPICS } from "./registry.ts";

/** Returns the page of `svc --help`, or of a family such as `svc monitors`. */
export function helpPage(words: readonly string[]): string {
  const prefix = words.length === 0 ? "" : `${words.join(" ")} `;
  const commands = COMMANDS.filter(({ path, summary }) => summary !== "" && path.startsWith(prefix));
  const width = Math.max(...commands.map(({ path }) => path.length));
  const options = [...GLOBAL_OPTIONS, HELP_OPTION, VERSION_OPTION];
  const optionWidth = Math.max(...options.map(({ flags }) => flags.length));
  const lines = (listed: readonly CommandEntry[]) =>
    listed.map(({ path, summary }) => `  ${path.padEnd(width)}  ${summary}`);
  const parts =
    words.length > 0
      ? ["Commands:", ...lines(commands), ""]
      : topicsOf(commands).flatMap(([title, listed]) => [`${title}:`, ...lines(listed), ""]);
  return [
    `Usage: svc ${prefix}<command> [options]`,
    "",
    GROUPS[prefix.trim()] ?? "Synthetic monitoring as code: describe monitors, deploy them, watch them.",
    "",
    ...parts,
    GLOBAL_OPTIONS_TITLE,
    ...options.map(({ flags, description }) => `  ${flags.padEnd(optionWidth)}  ${description}`),
    "",
    "Run: svc <command> --help   for its options and examples",
  ].join("\n");
}

/** Groups commands by topic, in the order of {@link TOPICS}. */
function topicsOf(commands: readonly CommandEntry[]): [title: string, commands: CommandEntry[]][] {
  return Object.entries(TOPICS)
    .map(([title, firstWords]): [string, CommandEntry[]] => [
      title,
      commands.filter(({ path }) => firstWords.includes(path.split(" ")[0] ?? "")),
    ])
    .filter(([, listed]) => listed.length > 0);
}

/** True when these words begin a family of commands. */
export function isFamily(words: readonly string[]): boolean {
  const prefix = `${words.join(" ")} `;
  return COMMANDS.some(({ path }) => path.startsWith(prefix));
}

/** Builds the error of an unknown command; it names the nearest one. */
export function unknownCommand(words: readonly string[]) {
  const paths = COMMANDS.filter(({ summary }) => summary !== "").map(({ path }) => path);
  const nearest =
    nearestName(words.slice(0, 2).join(" "), paths) ?? nearestName(words[0] ?? "", [...paths, ...families()]);
  return generalError(
    `unknown command "${words.join(" ")}"${nearest ? `; did you mean "${nearest}"?` : ""}`,
    "Run: svc --help",
  );
}

function families(): string[] {
  return [
    ...new Set(COMMANDS.filter(({ path }) => path.includes(" ")).map(({ path }) => path.split(" ")[0] ?? "")),
  ];
}
