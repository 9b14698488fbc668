import type { OptionSpec } from "./command-outline.ts";

/** Flags that every command takes. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  { flags: "--json", description: "answer with one JSON object on stdout" },
  { flags: "--quiet", description: "leave out progress and hints" },
  { flags: "--no-color", description: "no colours" },
  { flags: "--verbose", description: "tell of each request" },
  { flags: "--api-url <url>", description: "address of the control plane" },
];
