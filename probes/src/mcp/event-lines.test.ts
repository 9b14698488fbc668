import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { growthAtDoubleSize } from "../../test-support/cpu-growth.ts";
import { EventLines } from "./event-lines.ts";

/** The parser of the SDK, which reads the streams of servers. */
const sdk = createRequire(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/sdk/client/index.js"),
);
const { createParser } = sdk("eventsource-parser") as {
  createParser: (callbacks: { onEvent: () => void }) => { feed: (text: string) => void };
};

/** Returns the text as it comes out when it arrives in these pieces. */
function uniform(...pieces: string[]): string {
  const lines = new EventLines();
  return pieces.map((piece) => lines.uniform(Buffer.from(piece)).toString()).join("");
}

it.each([
  ["a\nb\n\n", ["a\nb\n\n"]],
  ["a\nb\n\n", ["a\r\nb\r\n\r\n"]],
  ["a\nb\n\n", ["a\rb\r\r"]],
  ["a\nb\n\nc", ["a\r", "\nb\r", "\n", "\r", "\nc"]],
  ["a\n\nb", ["a\r", "\rb"]],
  ["grüße\n", ["grüße\r"]],
])("becomes %j", (expected, pieces) => {
  expect(uniform(...pieces)).toBe(expected);
});

it("lines are counted, whatever ends them", () => {
  const lines = new EventLines();
  for (const piece of ["a\r", "\nb\n", "c\r\r", "d"]) lines.uniform(Buffer.from(piece));
  expect(lines.count).toBe(4);
});

const KIB = 1024;

it.each([
  ["only CR", (size: number) => "\r".repeat(size)],
  ["LF with a CR at the end", (size: number) => `${"\n".repeat(size - 1)}\r`],
  ["only LF", (size: number) => "\n".repeat(size)],
  ["no end of a line", (size: number) => "x".repeat(size)],
])("the parser's work is linear for pieces of %s", (_name, text) => {
  const growth = growthAtDoubleSize(
    [64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB],
    (size) => Buffer.from(text(size)),
    (piece) => createParser({ onEvent: () => {} }).feed(new EventLines().uniform(piece).toString()),
  );
  expect(growth).toBeLessThan(2.5);
});
