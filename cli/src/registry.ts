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
  // Without a sentence: not in the lists. The completion scripts call it.
  entry("complete", "", () => import("./commands/complete.ts")),
  entry(
    "completions",
    "print a script that completes svc in your shell",
    () => import("./commands/completions.ts"),
  ),
  entry("deploy", "make the service what the config says", () => import("./commands/deploy.ts")),
  entry("diff", "show what a deploy would change", () => import("./commands/diff.ts")),
  entry("import", "import monitors from another tool (a scaffold)", () => import("./commands/import.ts")),
  entry("init", "write a config to begin with", () => import("./commands/init.ts")),
  entry("log", "list changes of the configuration", () => import("./commands/log.ts")),
  entry("login", "sign in with the browser", () => import("./commands/login.ts")),
  entry("logout", "forget the stored key", () => import("./commands/logout.ts")),
  entry("monitors create", "create an http monitor", () => import("./commands/monitors/create.ts")),
  entry("monitors delete", "delete a monitor", () => import("./commands/monitors/delete.ts")),
  entry(
    "monitors edit",
    "change a monitor's name, frequency or locations",
    () => import("./commands/monitors/edit.ts"),
  ),
  entry("monitors get", "show a monitor and its newest results", () => import("./commands/monitors/get.ts")),
  entry("monitors list", "list the monitors", () => import("./commands/monitors/list.ts")),
  entry("monitors pause", "stop running a monitor", () => import("./commands/monitors/pause.ts")),
  entry("monitors resume", "run a paused monitor again", () => import("./commands/monitors/resume.ts")),
  entry("results get", "show a result in full", () => import("./commands/results/get.ts")),
  entry("results list", "list a monitor's results", () => import("./commands/results/list.ts")),
  entry("results tail", "follow a monitor's new results", () => import("./commands/results/tail.ts")),
  entry("status", "show how the monitors stand", () => import("./commands/status.ts")),
  entry("test", "run the HTTP monitors from this machine", () => import("./commands/test.ts")),
  entry(
    "validate",
    "check the config without contacting the service",
    () => import("./commands/validate.ts"),
  ),
];

/** What a family of commands is about, for the lists. */
export const GROUPS: Readonly<Record<string, string>> = {
  monitors: "what is watched",
  results: "what the monitors measured",
};
