/** No code, comment, test title or page uses a word that the glossary refuses. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, test } from "vitest";
import { ROOT } from "../harness/control-plane.ts";
import { readProjectFiles } from "../harness/project-files.ts";
import { parseRefusals, usesOf } from "./refused-words.ts";

const GLOSSARY = "docs/develop/glossary.md";
/** Files whose words can't be changed any more, or that have to quote the refused ones. */
const LEFT_OUT = /\/gen\/|\/migrations\/|^CHANGELOG\.md$|^docs\/develop\/glossary\.md$|^test\/docs\//;

const refusals = parseRefusals(readFileSync(join(ROOT, GLOSSARY), "utf8"));
const files = readProjectFiles()
  .filter((file) => /\.(?:ts|tsx|mjs|cjs|proto|md)$/.test(file) && !LEFT_OUT.test(file))
  .map((path) => ({ path, content: readFileSync(join(ROOT, path), "utf8") }));

test("no file uses a word that the glossary refuses", () => {
  const uses = files.flatMap(({ path, content }) =>
    usesOf(refusals, path, content).map(
      ({ line, text, refusal }) => `${path}:${line}: "${text}"; say ${refusal.say}`,
    ),
  );
  expect(uses).toEqual([]);
});

test("every exception of the glossary is needed", () => {
  const unneeded = refusals.flatMap((refusal) =>
    refusal.exceptions.filter((exception) => {
      const without = { ...refusal, exceptions: refusal.exceptions.filter((other) => other !== exception) };
      return !files
        .filter(
          ({ path, content }) =>
            path.startsWith(exception) || content.toLowerCase().includes(exception.toLowerCase()),
        )
        .some(({ path, content }) => usesOf([without], path, content).length > 0);
    }),
  );
  expect(unneeded).toEqual([]);
});

const planted = parseRefusals(`## Words that are refused

| Kind | Refused | Say | Except |
| --- | --- | --- | --- |
| word | \`told\`, \`orders? to run\` | notified, dispatch | \`told apart\`: a verb of everyday language |
| name | \`take\`, \`taken\` | acquire | \`takenAt\`: a field of JSON; \`cli/src/old/\`: goes soon |
| whole name | \`Attempt\` | its kind | |
`);

it.each([
  ["in a comment", "// The channel was told.", "told"],
  ["in a test's title", 'it("is told once", () => {})', "told"],
  ["as a part of a name", "const toldAtMs = 0;", "told"],
  ["as a phrase that goes on in the next line", "/**\n * An order to\n * run a slot.\n */", "order to run"],
  ["as a method", "lanes.take();", "take"],
  ["as a private method", "this.#takeLane();", "takeLane"],
  ["as a variable", "const taken = 1;", "taken"],
  ["as a type of no kind", "export interface Attempt {}", "Attempt"],
])("a refused word is found %s", (_where, content, text) => {
  expect(usesOf(planted, "cli/src/a.ts", content)).toMatchObject([{ text }]);
});

it.each([
  ["a verb of everyday language", "// It takes 25 ms.", "cli/src/a.ts"],
  ["an excepted name", "row.takenAt", "cli/src/a.ts"],
  ["an excepted phrase", "// They can't be told apart.", "cli/src/a.ts"],
  ["an excepted folder", "lanes.take();", "cli/src/old/a.ts"],
  ["a name that has a kind", "class HttpAttempt {}", "cli/src/a.ts"],
])("left alone: %s", (_what, content, path) => {
  expect(usesOf(planted, path, content)).toEqual([]);
});

it("a file's name is read, too", () => {
  expect(usesOf(planted, "cli/src/take-lane.ts", "")).toMatchObject([{ line: 0 }]);
});
