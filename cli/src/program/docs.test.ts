import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { COMMANDS } from "./registry.ts";

const PAGE = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");

/** Rows of the page's table: a command with its arguments, and its flags. */
function documented(): Record<string, string[]> {
  const rows = PAGE.slice(PAGE.indexOf("## All commands")).matchAll(/^\| `([^`]+)` \| ([^|]*) \|/gm);
  return Object.fromEntries(
    [...rows].map(([, command = "", flags = ""]) => [
      command,
      [...flags.matchAll(/`([^`]+)`/g)].map(([, flag]) => flag ?? ""),
    ]),
  );
}

it("docs/cli.md has every command with its arguments and flags, and no other", async () => {
  const known: Record<string, string[]> = {};
  for (const { path, summary, load } of COMMANDS) {
    if (summary === "") continue;
    const { command } = await load();
    const words = [path, ...(command.arguments ?? []).map(({ name }) => name)].join(" ");
    known[words] = (command.options ?? []).map(({ flags }) => flags);
  }
  expect(documented()).toEqual(known);
});

it("every command has an example that is a command line of its own", async () => {
  for (const { path, summary, load } of COMMANDS) {
    if (summary === "") continue;
    const { examples = [] } = (await load()).command;
    expect([path, examples.filter((line) => !line.startsWith(path))]).toEqual([path, []]);
  }
});
