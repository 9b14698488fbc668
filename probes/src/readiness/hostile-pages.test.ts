import { describe, expect, it } from "vitest";
import { growthAtDoubleSize } from "../../test-support/cpu-growth.ts";
import { structuredDataOf } from "./structured-data.ts";

const MIB = 1024 * 1024;
/** A body has at most 10 MiB. */
const SIZES = [MIB, 2 * MIB, 4 * MIB, 8 * MIB];

describe("a hostile page costs the agent's loop no more than its length", () => {
  const of = (text: string) => (size: number) => text.repeat(size / text.length);
  it.each([
    ["scripts without an end", of("<script")],
    ["scripts of JSON-LD without content", of('<script type="application/ld+json">')],
    ["types of scripts without a tag", of("application/ld+json ")],
    ["empty JSON-LD", of('<script type="application/ld+json">{}</script>')],
    [
      "one long JSON-LD",
      (size: number) => `<script type="application/ld+json">[${"0,".repeat(size / 2)}0]</script>`,
    ],
    ["attributes without a value", of("itemtype ")],
    ["attributes of blanks", (size: number) => `itemtype${" ".repeat(size)}`],
    ["types of things", of('itemtype="https://schema.org/A" ')],
  ])("%s", (_name, page) => {
    expect(growthAtDoubleSize(SIZES, page, structuredDataOf)).toBeLessThan(2.5);
  });

  it.each([
    ["lists", "[", "]"],
    ["graphs", '{"@type":"a","@graph":', "}"],
  ])("many types in deep %s cost no more than the text", (_name, open, close) => {
    const things = Array(10_000).fill('{"@type":"A"}').join(",");
    const page = (depth: number) =>
      `<script type="application/ld+json">${open.repeat(depth)}[${things}]${close.repeat(depth)}</script>`;
    // Twice the depth used to copy all types twice as often, for ten seconds.
    expect(growthAtDoubleSize([500, 1_000, 2_000], page, structuredDataOf)).toBeLessThan(1.8);
  });

  it("nesting without end is a problem of the page, not of the agent", () => {
    const page = `<script type="application/ld+json">${"[".repeat(100_000)}${"]".repeat(100_000)}</script>`;
    expect(structuredDataOf(page).types).toEqual([]);
  });
});
