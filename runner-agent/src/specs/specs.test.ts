import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { OpenApiEngine } from "@svc/openapi";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { aCheck } from "../../test-support/builders.ts";
import type { ApiSpecRef } from "../model/assignment.ts";
import { SpecCache } from "./spec-cache.ts";
import { SpecSource } from "./spec-source.ts";
import { unpackSpec } from "./unpack-spec.ts";

const engine = new OpenApiEngine();
afterAll(() => engine.close());

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "svc-specs-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "api-specs");
}

/** A document as the control plane keeps it, whose GET /x answers with `status`. */
function aDocument(status: number, specId = "spec_a") {
  const json = Buffer.from(
    JSON.stringify({
      openapi: "3.0.3",
      info: { title: "T", version: "1" },
      paths: { "/x": { get: { responses: { [status]: { description: "" } } } } },
    }),
  );
  const reference: ApiSpecRef = { specId, contentSha256: createHash("sha256").update(json).digest("hex") };
  return { reference, gzip: gzipSync(json) };
}

/** A source that fetches from `documents` and counts; `isAway` makes every fetch fail. */
function aSource(folder: string, documents: ReturnType<typeof aDocument>[]) {
  const state = { fetches: 0, fetchesAtOnce: 0, fetchesAtOnceMax: 0, isAway: false, nowMs: 0, warnings: 0 };
  const source = new SpecSource({
    engine,
    cache: new SpecCache(folder, Date.now),
    fetch: async ({ contentSha256 }) => {
      state.fetches++;
      state.fetchesAtOnceMax = Math.max(state.fetchesAtOnceMax, ++state.fetchesAtOnce);
      await new Promise((resolve) => setImmediate(resolve));
      state.fetchesAtOnce--;
      const found = documents.find(({ reference }) => reference.contentSha256 === contentSha256);
      if (state.isAway || !found) throw new Error("the control plane is away");
      return found.gzip;
    },
    nowMs: () => state.nowMs,
    warn: () => state.warnings++,
  });
  return { source, state };
}

const response = {
  method: "GET",
  url: "https://a.example/x",
  status: 200,
  headers: {},
  bodyText: "",
  contentType: undefined,
  validateHeaders: false,
};

describe("a spec's document", () => {
  it("is fetched once for many checks, before they ask for it", async () => {
    const document = aDocument(200);
    const { source, state } = aSource(aFolder(), [document]);
    source.learn([1, 2, 3].map((checkKey) => aCheck({ checkKey, apiSpecs: [document.reference] })));
    const handles = await Promise.all([source.get("spec_a"), source.get("spec_a")]);
    expect((await handles[0]?.judge(response))?.conforms).toBe(true);
    expect(state.fetches).toBe(1);
  });

  it("is fetched two at a time, however many an assignment names", async () => {
    const documents = Array.from({ length: 12 }, (_, i) => aDocument(200 + i, `spec_${i}`));
    const { source, state } = aSource(aFolder(), documents);
    state.isAway = true;
    source.learn([aCheck({ apiSpecs: documents.slice(0, 4).map(({ reference }) => reference) })]);
    await expect(source.get("spec_3")).rejects.toThrow("away");
    state.isAway = false;
    source.learn([aCheck({ apiSpecs: documents.slice(4).map(({ reference }) => reference) })]);
    await Promise.all(documents.slice(4).map(({ reference }) => source.get(reference.specId)));
    expect([state.fetches, state.fetchesAtOnceMax]).toEqual([12, 2]);
  });

  it("that changed is used as soon as a check names it", async () => {
    const [former, current] = [aDocument(200), aDocument(404)];
    const { source } = aSource(aFolder(), [former, current]);
    source.learn([aCheck({ apiSpecs: [former.reference] })]);
    expect((await (await source.get("spec_a")).judge(response)).conforms).toBe(true);
    source.learn([aCheck({ apiSpecs: [current.reference], revision: 2 })]);
    expect((await (await source.get("spec_a")).judge(response)).conforms).toBe(false);
  });

  it("is there after a restart while the control plane is away", async () => {
    const document = aDocument(200);
    const folder = aFolder();
    const first = aSource(folder, [document]);
    first.source.learn([aCheck({ apiSpecs: [document.reference] })]);
    await first.source.get("spec_a");
    const second = aSource(folder, []);
    second.source.learn([aCheck({ apiSpecs: [document.reference] })]);
    expect((await (await second.source.get("spec_a")).judge(response)).conforms).toBe(true);
    expect(second.state.fetches).toBe(0);
  });

  it("that is damaged on disk is fetched again", async () => {
    const document = aDocument(200);
    const folder = aFolder();
    const { source, state } = aSource(folder, [document]);
    await new SpecCache(folder, Date.now).write(document.reference.contentSha256, Buffer.from("damaged"));
    source.learn([aCheck({ apiSpecs: [document.reference] })]);
    expect((await (await source.get("spec_a")).judge(response)).conforms).toBe(true);
    expect(state.fetches).toBe(1);
  });

  it("that is not available is an error, and is fetched again after a while", async () => {
    const document = aDocument(200);
    const { source, state } = aSource(aFolder(), [document]);
    state.isAway = true;
    source.learn([aCheck({ apiSpecs: [document.reference] })]);
    await expect(source.get("spec_a")).rejects.toThrow("away");
    state.isAway = false;
    await expect(source.get("spec_a")).rejects.toThrow("away");
    expect([state.fetches, state.warnings]).toEqual([1, 1]);
    state.nowMs += 5000;
    expect((await (await source.get("spec_a")).judge(response)).conforms).toBe(true);
  });

  it("that no check named is an error", async () => {
    await expect(aSource(aFolder(), []).source.get("spec_b")).rejects.toThrow("named no document");
  });

  it("is only taken when it is the one that was announced", async () => {
    const { gzip } = aDocument(200);
    await expect(unpackSpec(gzip, aDocument(404).reference.contentSha256)).rejects.toThrow("announced");
    await expect(unpackSpec(Buffer.from("x"), "0".repeat(64))).rejects.toThrow();
  });
});

describe("the cache on disk", () => {
  it("drops the least recently used documents that no longer fit", async () => {
    const folder = aFolder();
    const cache = new SpecCache(folder, Date.now, 250);
    const names = ["a", "b", "c"].map((letter) => letter.repeat(64));
    for (const name of names.slice(0, 2)) await cache.write(name, Buffer.alloc(100));
    // File times are coarse on some file systems, so they are set apart.
    const { utimesSync } = await import("node:fs");
    utimesSync(join(folder, `${names[0]}.json.gz`), 1, 1);
    utimesSync(join(folder, `${names[1]}.json.gz`), 2, 2);
    await cache.read(names[0] ?? "");
    await cache.write(names[2] ?? "", Buffer.alloc(100));
    expect(readdirSync(folder).sort()).toEqual([`${names[0]}.json.gz`, `${names[2]}.json.gz`]);
  });

  it("takes hashes only, never a path", async () => {
    const folder = aFolder();
    const outside = join(folder, "..", "outside.json.gz");
    writeFileSync(outside, "x");
    const cache = new SpecCache(folder, Date.now);
    await expect(cache.drop("../outside")).rejects.toThrow("not the hash");
    await expect(cache.write("../outside", Buffer.from("y"))).rejects.toThrow("not the hash");
    expect(existsSync(outside)).toBe(true);
  });
});
