import { CompletionContext } from "@codemirror/autocomplete";
import { javascript } from "@codemirror/lang-javascript";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { completeScript } from "./completions.ts";

/** Labels that are offered at the bar in the text. */
function offeredAt(text: string): string[] | undefined {
  const pos = text.indexOf("|");
  const state = EditorState.create({
    doc: text.replace("|", ""),
    extensions: javascript({ typescript: true }),
  });
  // As in an editor that is at rest, however slow the machine is: a state keeps the tree that it was made with.
  ensureSyntaxTree(state, state.doc.length, 30_000);
  const atRest = state.update({}).state;
  return completeScript(new CompletionContext(atRest, pos, true))?.options.map(({ label }) => label);
}

describe("completeScript", () => {
  it.each([
    ["a fixture", "await page.|", ["goto", "getByRole", "waitForURL"]],
    ["a begun member", "await page.go|", ["goto"]],
    ["a locator that is called for", 'await page.getByRole("button").first().|', ["click", "fill"]],
    ["a locator over several lines", 'await page\n  .locator("a")\n  .|', ["click", "filter"]],
    ["a name that was declared", 'const row = page.locator("tr");\nawait row.|', ["nth"]],
    ["what is awaited", 'const answer = await request.get("/");\nanswer.|', ["json", "status"]],
    ["what parentheses hold", '(await page.goto("/")).|', ["status"]],
    ["an expectation of a locator", 'await expect(page.locator("a")).|', ["toBeVisible", "toBe", "not"]],
    ["its opposite", 'await expect(page.locator("a")).not.|', ["toBeVisible"]],
    ["an expectation of the page", "await expect(page).|", ["toHaveURL"]],
    ["a soft one", 'expect.soft(page.locator("a")).|', ["toHaveText"]],
    ["a number's", "expect(1 + 1).|", ["toBeGreaterThan"]],
    ["a property", "await page.keyboard.|", ["press"]],
    ["a test", "test.|", ["describe", "beforeEach"]],
    ["the begin of a name", "await pa|", ["page", "expect"]],
    ["the begin of a step", "  // |", ["// @step: "]],
  ])("offers what belongs to %s", (_, text, expected) => {
    expect(offeredAt(text)).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    ["a text", 'await page.goto("page.|")'],
    ["a comment", "// page.|"],
    ["what is not known", "whatever.|"],
    ["a name that means itself", "const a = a;\na.|"],
    ["snapshots, which scripts don't have", "nothing(page).|"],
  ])("offers nothing in %s", (_, text) => {
    expect(offeredAt(text)).toBeUndefined();
  });

  it("offers no member that scripts don't have", () => {
    expect(offeredAt("expect(page).|")).not.toContain("toHaveScreenshot");
    expect(offeredAt("test.|")).not.toContain("extend");
  });
});
