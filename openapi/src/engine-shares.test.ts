/** Teams share the worker threads: one whose documents and responses are slow does not hold up another. */
import { createHash } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { aDocument, aLargeDocument } from "../test-support/documents.ts";
import { OpenApiEngine } from "./engine.ts";
import { LaneFull } from "./index.ts";

/** Longer than the tests need, so that an overrun means that a quick job waited for a slow one. */
const JUDGE_LIMIT_MS = 5_000;
let engine: OpenApiEngine;
afterEach(() => engine.close());

const response = {
  method: "GET",
  url: "https://api.example.com/pets",
  status: 200,
  headers: {},
  bodyText: JSON.stringify(`${"a".repeat(40)}!`),
  contentType: "application/json",
  validateHeaders: false,
};

function anEngine() {
  engine = new OpenApiEngine({ judgeLimitMs: JUDGE_LIMIT_MS });
}

function aHandle(team: string, title: string, pattern: string) {
  const content = { "application/json": { schema: { type: "string", pattern } } };
  const paths = { "/pets": { get: { responses: { 200: { description: "", content } } } } };
  const json = Buffer.from(JSON.stringify(aDocument({ paths, "x-title": title })));
  const sha256 = createHash("sha256").update(json).digest("hex");
  return engine.handle({ team, sha256, load: async () => json });
}

/** Judges a response for ever. */
const slowHandle = (team: string, title: string) => aHandle(team, title, "^(a+)+$");

/** Settles all, so that none is left unhandled when the engine is closed; counts those that have ended. */
function countEnded(work: Promise<unknown>[]) {
  const ended = { count: 0 };
  for (const one of work)
    one
      .catch(() => {})
      .finally(() => {
        ended.count++;
      });
  return ended;
}

test("a team with many documents whose responses are slow to judge holds up no response of another team", async () => {
  anEngine();
  const slow = Array.from({ length: 8 }, (_, nth) => slowHandle("hostile", `${nth}`).judge(response));
  const ended = countEnded(slow);
  const quick = ["b", "c", "d", "e"].map((team) => aHandle(team, "quick", "!$").judge(response));
  expect((await Promise.all(quick)).every(({ conforms }) => conforms)).toBe(true);
  // Each slow one takes its whole limit; a quick one that had waited for one would have ended after it.
  expect(ended.count).toBe(0);
});

test("a team whose document is slow still has its other documents judged", async () => {
  anEngine();
  const ended = countEnded([slowHandle("hostile", "slow").judge(response)]);
  expect(await aHandle("hostile", "quick", "!$").judge(response)).toMatchObject({ conforms: true });
  expect(ended.count).toBe(0);
});

test("a team that has many large documents read holds up neither a large nor a small one of another team", async () => {
  anEngine();
  const large = Buffer.from(aLargeDocument(aDocument(), 3_000_000));
  const many = Array.from({ length: 10 }, () => engine.compile({ team: "hostile", bytes: large }));
  const ended = countEnded(many);
  const own = await Promise.all([
    engine.compile({ team: "b", bytes: Buffer.from(aLargeDocument(aDocument(), 300_000)) }),
    engine.compile({ team: "b", bytes: Buffer.from(JSON.stringify(aDocument())) }),
  ]);
  expect(own.every(({ success }) => success)).toBe(true);
  expect(ended.count).toBeLessThan(10);
});

test("a team that fills the queue is refused, another one is not", async () => {
  anEngine();
  const handle = slowHandle("hostile", "slow");
  const bodyText = `${response.bodyText}${" ".repeat(10_000_000)}`;
  const outcomes = Array.from({ length: 12 }, () =>
    handle.judge({ ...response, bodyText }).catch((error: unknown) => error),
  );
  const refused = await Promise.race(outcomes);
  expect(refused).toBeInstanceOf(LaneFull);
  expect(await aHandle("b", "quick", "!$").judge({ ...response, bodyText })).toMatchObject({
    conforms: true,
  });
});
