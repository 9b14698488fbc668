import { describe, expect, it } from "vitest";
import { problemOfDraft, scriptIn, stepsOf } from "./script-draft.ts";
import { isOfSite, ownOrigins, targetOf } from "./target.ts";

describe("the script in an answer", () => {
  it.each([
    ["```typescript\nawait page.goto('/');\n```", "await page.goto('/');\n"],
    [
      "Sure:\n```\nawait page.goto('/');\n```\nIt opens the page.\n```sh\nrm -rf /\n```",
      "await page.goto('/');\n",
    ],
    ["await page.goto('/');", "await page.goto('/');\n"],
    ["I can't help with that.", undefined],
    ["```ts\n\n```", undefined],
    ["", undefined],
  ])("%j", (answer, script) => expect(scriptIn(answer)).toBe(script));
});

describe("a draft", () => {
  const limits = { origins: ["https://shop.example"], vaultNames: ["PASSWORD"] };
  it.each([
    `await page.goto("https://shop.example/a?b=1"); // see https://shop.example/docs.`,
    `import { test, expect } from "@playwright/test";`,
    `await page.getByLabel("Password").fill("{{vault.PASSWORD}}");`,
    `new WebSocket("wss://shop.example/live")`,
  ])("may be %s", (script) => expect(problemOfDraft(script, limits)).toBeUndefined());
  it.each([
    [`await page.goto("https://evil.example/")`, /names https:\/\/evil\.example\//],
    [`await page.goto("http://shop.example/")`, /names http:\/\/shop\.example\//],
    [`await page.goto("https://shop.example:1/")`, /may go to https:\/\/shop\.example alone/],
    [`await page.goto("https://shop.example@evil.example/")`, /names/],
    [`new WebSocket("wss://evil.example")`, /names/],
    [`import fs from "node:fs"`, /module "node:fs"/],
    [`const fs = require('fs')`, /module "fs"/],
    ["await import(`node:child_process`)", /module/],
    [`fill("{{ vault.OTHER }}")`, /secret OTHER/],
    ["x".repeat(70_000), /70000 characters/],
  ])("is refused: %s", (script, problem) => expect(problemOfDraft(script, limits)).toMatch(problem));

  it("without a target may name any origin", () =>
    expect(
      problemOfDraft(`await page.goto("https://a.example")`, { ...limits, origins: undefined }),
    ).toBeUndefined());

  it("that is long and full of almost everything costs no more than its length", () => {
    const started = process.cpuUsage();
    for (const piece of ["import(", "https://", "{{vault.", "// @step: ", "test.step('", "```\n", "from '"])
      for (const read of [scriptIn, stepsOf, (text: string) => problemOfDraft(text.slice(0, 65_000), limits)])
        read(piece.repeat(200_000 / piece.length));
    expect(process.cpuUsage(started).user / 1e6).toBeLessThan(3);
  });
});

it("the steps of a script are those that it marks and those that it calls", () => {
  const script = `// @step: Open  \nawait page.goto("/");\n  //@step:Search\nawait test.step("Pay", async () => {});`;
  expect(stepsOf(script)).toEqual(["Open", "Search", "Pay"]);
});

describe("the target of a script", () => {
  it.each([
    [{ targetUrl: "https://a.example/x", description: "see https://b.example" }, "https://a.example/x"],
    [{ description: "Open https://b.example/cart, then pay." }, "https://b.example/cart"],
    [{ description: "Open (https://b.example)." }, "https://b.example/"],
    [{ description: "Open the shop" }, undefined],
  ])("%o", (request, url) => expect(targetOf(request)?.href).toBe(url));

  it.each([
    ["https://www.shop.example/", "https://shop.example/", true],
    ["https://shop.co.uk/", "https://other.co.uk/", false],
    ["https://a.github.io/", "https://b.github.io/", false],
    ["http://127.0.0.1:1/", "http://127.0.0.1:2/", true],
    ["http://127.0.0.1/", "http://10.0.0.1/", false],
    ["http://intranet/", "http://other/", false],
  ])("%s and %s are of one site: %s", (one, other, isOne) =>
    expect(isOfSite(new URL(one), new URL(other))).toBe(isOne),
  );

  it("has the origin that it leads to where that is of its site", () => {
    const target = new URL("http://shop.example/");
    expect(ownOrigins(target, new URL("https://www.shop.example/en"))).toEqual([
      "http://shop.example",
      "https://www.shop.example",
    ]);
    expect(ownOrigins(target, new URL("http://169.254.169.254/"))).toEqual(["http://shop.example"]);
  });
});
