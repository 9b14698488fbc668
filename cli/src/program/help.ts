/** Help pages that list commands: all of them, or those of one family. */
import { nearestName } from "@svc/contract";
import { generalError } from "../runtime/cli-error.ts";
import { GLOBAL_OPTIONS } from "../runtime/global-options.ts";
import { COMMANDS, GROUPS } from "./registry.ts";

/** Returns the page of `svc --help`, or of a family such as `svc monitors`. */
export function helpPage(words: readonly string[]): string {
  const prefix = words.length === 0 ? "" : `${words.join(" ")} `;
  const commands = COMMANDS.filter(({ path, summary }) => summary !== "" && path.startsWith(prefix));
  const width = Math.max(...commands.map(({ path }) => path.length));
  const optionWidth = Math.max(...GLOBAL_OPTIONS.map(({ flags }) => flags.length));
  return [
    `Usage: svc ${prefix}<command> [options]`,
    "",
    GROUPS[prefix.trim()] ?? "Synthetic monitoring as code: describe monitors, deploy them, watch them.",
    "",
    "Commands:",
    ...commands.map(({ path, summary }) => `  ${path.padEnd(width)}  ${summary}`),
    "",
    "Global options:",
    ...GLOBAL_OPTIONS.map(({ flags, description }) => `  ${flags.padEnd(optionWidth)}  ${description}`),
    "",
    "Run: svc <command> --help   for its options and examples",
  ].join("\n");
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
