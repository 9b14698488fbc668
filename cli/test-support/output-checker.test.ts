import { expect, it } from "vitest";
import { checkOutput } from "./output-checker.ts";

const listed = { shell: "bash", script: "" };
const ok = (data: unknown) => `${JSON.stringify({ ok: true, data })}\n`;
const failed = (details: unknown) =>
  `${JSON.stringify({ ok: false, error: { code: "general_error", message: "", details } })}\n`;

it.each<[string, string[], string]>([
  ["a success", ["completions", "--json"], ok(listed)],
  ["a failure", ["completions", "--json"], failed({ exitCode: 1, httpStatus: 404 })],
  ["a failure with details of its own", ["validate", "--json"], failed({ exitCode: 1, problems: [] })],
  ["a help page", ["completions", "--help", "--json"], ok({ help: "" })],
  ["the version", ["--version", "--json"], ok({ version: "1" })],
  ["a stream that ended before its first line", ["results", "tail", "Home", "--json"], ""],
  ["an output that is not JSON without --json", ["completions"], "text\n"],
  ["a flag behind the end of the flags", ["complete", "--", "--json"], "text\n"],
])("%s is accepted", async (_title, args, stdout) => {
  await expect(checkOutput({ args, stdout })).resolves.toBeUndefined();
});

it.each<[string, string[], string, string]>([
  ["an unknown field", ["completions", "--json"], ok({ ...listed, more: 1 }), "additional properties"],
  [
    "a missing field",
    ["completions", "--json"],
    ok({ shell: "bash" }),
    "must have required property 'script'",
  ],
  [
    "a field of another type",
    ["completions", "--json"],
    ok({ ...listed, shell: 1 }),
    "/data/shell must be string",
  ],
  [
    "another command's details",
    ["completions", "--json"],
    failed({ exitCode: 1, problems: [] }),
    "additional",
  ],
  ["an unknown exit code", ["completions", "--json"], failed({ exitCode: 9 }), "/error/details/exitCode"],
  ["no output", ["completions", "--json"], "", "wrote 0 lines"],
  ["two objects", ["completions", "--json"], ok(listed).repeat(2), "wrote 2 lines"],
  ["text", ["completions", "--json"], "text\n", "it is no JSON"],
  ["an envelope in a stream", ["results", "tail", "Home", "--json"], ok({}), "schema does not describe"],
  ["a line without its envelope", ["status", "--json"], '{"monitors":[]}\n', "schema does not describe"],
])("%s is refused", async (_title, args, stdout, message) => {
  await expect(checkOutput({ args, stdout })).rejects.toThrow(message);
});
