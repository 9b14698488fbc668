import { expect, it } from "vitest";
import { plainText } from "./text.tsx";

it("characters that hide or turn text are shown by their code; lines and tabs stay", () => {
  expect(plainText("a\u202eb\u0000c\tD\nE")).toBe("a[U+202E]b[U+0000]c\tD\nE");
});
