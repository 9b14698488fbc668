import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { aDocument, aLargeDocument } from "../test-support/documents.ts";
import type { ResponseToJudge } from "./conformance/conformance-result.ts";
import { OpenApiEngine } from "./engine.ts";
import { LaneFull } from "./index.ts";

const require = createRequire(import.meta.url);
const rclone = require("rclone-openapi/openapi.json") as Record<string, unknown>;
const readme = require("@readme/oas-examples/3.1/json/readme.json") as Record<string, unknown>;
const engine = new OpenApiEngine({ judgeLimitMs: 1_000 });
afterAll(() => engine.close());

function aResponse(parts: Partial<ResponseToJudge> = {}): ResponseToJudge {
  return {
    method: "GET",
    url: "https://api.example.com/pets",
    status: 200,
    headers: {},
    bodyText: "{}",
    contentType: "application/json",
    validateHeaders: false,
    ...parts,
  };
}

/** A handle on a document, and how often it was loaded. */
function handleOn(document: unknown, { on = engine, team = "a" } = {}) {
  const json = Buffer.from(JSON.stringify(document));
  const loads = { count: 0 };
  const load = async () => {
    loads.count++;
    return json;
  };
  const handle = on.handle({ team, sha256: createHash("sha256").update(json).digest("hex"), load });
  return { handle, loads };
}

function withPattern(pattern: string) {
  const content = { "application/json": { schema: { type: "string", pattern } } };
  return aDocument({ paths: { "/pets": { get: { responses: { 200: { description: "", content } } } } } });
}

/** A document whose schemas take seconds to compile. */
function aSlowDocument() {
  const properties = Object.fromEntries(
    Array.from({ length: 6_000 }, (_, nth) => [
      `field${nth}`,
      {
        type: "object",
        properties: {
          a: { type: "string", minLength: nth },
          b: { type: "array", items: { type: "integer" } },
        },
      },
    ]),
  );
  const content = { "application/json": { schema: { type: "object", properties } } };
  return handleOn(
    aDocument({ paths: { "/pets": { get: { responses: { 200: { description: "", content } } } } } }),
  );
}

describe("compiling", () => {
  test("a document of 10 MiB is compiled while the event loop goes on", async () => {
    const text = aLargeDocument(readme, 9_500_000);
    const bytes = Buffer.from(text);
    let isDone = false;
    let turns = 0;
    const compiling = engine.compile({ team: "a", bytes }).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      turns++;
    }
    const outcome = await compiling;
    // A loop that was blocked by it would have turned once or twice.
    expect(turns).toBeGreaterThan(20);
    if (!outcome.success) throw new Error(JSON.stringify(outcome.problems.slice(0, 3)));
    expect(outcome.spec.operationCount).toBeGreaterThan(500);
    expect(bytes.byteLength).toBe(Buffer.byteLength(text));
  });

  test("a small document does not wait for a large one", async () => {
    let isLargeDone = false;
    const large = engine
      .compile({ team: "a", bytes: Buffer.from(aLargeDocument(readme, 9_500_000)) })
      .then(() => {
        isLargeDone = true;
      });
    expect(
      (await engine.compile({ team: "a", bytes: Buffer.from(JSON.stringify(aDocument())) })).success,
    ).toBe(true);
    expect(isLargeDone).toBe(false);
    await large;
  });

  test("a compiled document can judge responses", async () => {
    const outcome = await engine.compile({ team: "a", bytes: Buffer.from(JSON.stringify(rclone)) });
    if (!outcome.success) throw new Error("not compiled");
    const { contentSha256, contentGzip } = outcome.spec;
    const json = gunzipSync(contentGzip);
    expect(createHash("sha256").update(json).digest("hex")).toBe(contentSha256);
    const handle = engine.handle({ team: "a", sha256: contentSha256, load: async () => json });
    const conformance = await handle.judge(
      aResponse({ method: "POST", url: "http://localhost:5572/core/version" }),
    );
    expect(conformance.operation).toBe("POST /core/version");
  });

  test("a request body gives its document as bytes apart from the rest", async () => {
    const body = { name: "Ärger", content: "openapi: 3.0.0 \u00e4" };
    const parsed = await engine.parseUpload("a", Buffer.from(JSON.stringify(body)));
    expect(parsed.body).toEqual({ name: "Ärger" });
    expect(Buffer.from(parsed.content ?? []).toString()).toBe(body.content);
    await expect(engine.parseUpload("a", Buffer.from("{"))).rejects.toThrow(SyntaxError);
  });
});

describe("judging", () => {
  test("a document is loaded once, not per judgement", async () => {
    const { handle, loads } = handleOn(aDocument());
    for (let i = 0; i < 5; i++) expect((await handle.judge(aResponse())).conforms).toBe(true);
    expect(loads.count).toBe(1);
  });

  test("documents beyond the bound are pushed out and loaded again when needed", async () => {
    const single = new OpenApiEngine({ judgingLanes: 1 });
    const padded = (name: string) =>
      handleOn(aDocument({ "x-name": name, "x-padding": "p".repeat(15_000_000) }), { on: single });
    const [first, second, third] = [padded("1"), padded("2"), padded("3")];
    for (const { handle } of [first, second, third, first])
      expect((await handle.judge(aResponse())).conforms).toBe(true);
    expect([first.loads.count, second.loads.count, third.loads.count]).toEqual([2, 1, 1]);
    await single.close();
  });

  test("a pattern without end fails within the limit and does not hold up other documents", async () => {
    const hostile = handleOn(withPattern("^(a+)+$")).handle;
    const bodyText = JSON.stringify(`${"a".repeat(40)}!`);
    const conformance = await hostile.judge(aResponse({ bodyText }));
    expect(conformance).toEqual({
      conforms: false,
      problems: ["judging the response took longer than 1000 ms"],
    });
    const other = handleOn(aDocument()).handle;
    // Compiled before, so that the time of its compilation on a slow machine is not compared with the limit.
    expect((await other.judge(aResponse())).conforms).toBe(true);
    // From now on it has a lane of its own: another document is judged while it runs again.
    let isHostileDone = false;
    const again = hostile.judge(aResponse({ bodyText })).then(() => {
      isHostileDone = true;
    });
    expect((await other.judge(aResponse())).conforms).toBe(true);
    expect(isHostileDone).toBe(false);
    await again;
  });

  test("a slow compilation does not hold up other documents, whichever thread they share", async () => {
    const slow = aSlowDocument();
    let isSlowDone = false;
    const compiling = slow.handle.judge(aResponse()).then(() => {
      isSlowDone = true;
    });
    // Several documents, so that some share the thread of the slow one.
    const others = Array.from({ length: 6 }, (_, nth) => handleOn(aDocument({ "x-nth": nth })).handle);
    const conformances = await Promise.all(others.map((handle) => handle.judge(aResponse())));
    expect(conformances.every(({ conforms }) => conforms)).toBe(true);
    expect(isSlowDone).toBe(false);
    await compiling;
  });

  test("waiting responses are bounded by their size, and a refused one is distinguished from other errors", async () => {
    const { handle } = handleOn(aDocument());
    const bodyText = JSON.stringify("x".repeat(10_000_000));
    const judged = Array.from({ length: 12 }, () =>
      handle.judge(aResponse({ bodyText })).catch((error: unknown) => error),
    );
    const outcomes = await Promise.all(judged);
    expect(outcomes[0]).toMatchObject({ conforms: true });
    expect(outcomes[11]).toBeInstanceOf(LaneFull);
  });

  test("a document that can't be loaded is an error, not a conformance result", async () => {
    const handle = engine.handle({
      team: "a",
      sha256: "0".repeat(64),
      load: async () => {
        throw new Error("the disk is full");
      },
    });
    await expect(handle.judge(aResponse())).rejects.toThrow("the disk is full");
  });

  test("a schema that only leads to itself does not break the worker", async () => {
    const schema = { allOf: [{ $ref: "#/components/schemas/A" }] };
    const content = { "application/json": { schema } };
    const { handle } = handleOn(
      aDocument({
        paths: { "/pets": { get: { responses: { 200: { description: "", content } } } } },
        components: { schemas: { A: schema } },
      }),
    );
    expect(await handle.judge(aResponse())).toMatchObject({ conforms: false });
    expect((await handleOn(aDocument()).handle.judge(aResponse())).conforms).toBe(true);
  });
});

test("a closed engine rejects waiting jobs", async () => {
  const closing = new OpenApiEngine();
  const rejected = expect(closing.compile({ team: "a", bytes: Buffer.from("{}") })).rejects.toThrow("closed");
  await closing.close();
  await rejected;
});
