import type { OptionSpec } from "./command-outline.ts";

/** Flags that are answered instead of running the command. */
export const HELP_OPTION = {
  flags: "-h, --help",
  description: "show this help",
} as const satisfies OptionSpec;
/** The flag that prints the version and ends. */
export const VERSION_OPTION = {
  flags: "-V, --version",
  description: "show the version",
} as const satisfies OptionSpec;

/** Heading of the global flags in help pages. */
export const GLOBAL_OPTIONS_TITLE = "Global options:";

/** Flags that every command takes, beside those for help and version. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { flags: "--json", description: "answer with one JSON object on stdout" },
  { flags: "--quiet", description: "leave out progress and hints" },
  { flags: "--no-color", description: "no colours" },
  { flags: "--verbose", description: "tell of each request" },
  { flags: "--api-url <url>", description: "address of the control plane" },
];
