import { expect, it } from "vitest";
import { BodyUnreadable, ResponseBody } from "./body.ts";
import { ResponseHeaders } from "./headers.ts";

async function jsonOf(text: string): Promise<unknown> {
  const bytes = Buffer.from(text);
  const body = new ResponseBody({
    url: new URL("http://example.test/"),
    method: "GET",
    httpStatusCode: 200,
    headers: new ResponseHeaders([]),
    chunks: [bytes],
    wireBytes: bytes.length,
    joinedChunks: 0,
    wasCut: false,
    tls: undefined,
  });
  await body.prepare();
  return body.json();
}

it.each([
  ["arrays", "[".repeat(2_000_000)],
  ["objects", '{"a":'.repeat(20_000)],
  ["both, after a string that closes none", `["\\"]]]]",${'[{"a":'.repeat(6_000)}`],
])("JSON of countless nested %s is refused before it is parsed", async (_name, text) => {
  await expect(jsonOf(text)).rejects.toThrow(new BodyUnreadable("is JSON nested deeper than 10000 levels"));
});

it.each([
  ["as deep as it may be", `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
  ["of brackets in strings", JSON.stringify(["[{".repeat(20_000), '\\"[', { "[": "]" }])],
  ["of many arrays beside one another", `[${"[],".repeat(20_000)}0]`],
])("JSON %s is parsed", async (_name, text) => {
  expect(await jsonOf(text)).toBeInstanceOf(Array);
});
