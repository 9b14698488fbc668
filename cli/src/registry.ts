/**
 * Every command: the words typed, a sentence for the lists of commands, and its file, loaded when it is typed. To add one: its
 * file under commands/ and one line here.
 */
import type { Command } from "./command.ts";

export interface CommandEntry {
  /** Words separated by one space. */
  path: string;
  summary: string;
  load(): Promise<{ command: Command }>;
}

const entry = (path: string, summary: string, load: CommandEntry["load"]): CommandEntry => ({
  path,
  summary,
  load,
});

export const COMMANDS: readonly CommandEntry[] = [
  entry("api", "send one request to the REST API", () => import("./commands/api.ts")),
];

/** What a family of commands is about, for the lists. */
export const GROUPS: Readonly<Record<string, string>> = {};
