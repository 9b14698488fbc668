import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { testFolder } from "../../test-support/run-svc.ts";
import { readText } from "./read-text.ts";

let folder: ReturnType<typeof testFolder>;
beforeAll(() => {
  folder = testFolder();
});
afterAll(() => folder.remove());

it.each([
  ["as Git for Windows checks it out", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["as Windows' editor saves it", "\uFEFFone\r\ntwo", "one\ntwo"],
  ["as everywhere else", "one\ntwo\n", "one\ntwo\n"],
  ["a return alone stays, since it ends no line", "one\rtwo", "one\rtwo"],
])("%s: the text is that of everyone else", (_, written, read) => {
  const path = join(folder.path, "text");
  writeFileSync(path, written);
  expect(readText(path)).toBe(read);
});
