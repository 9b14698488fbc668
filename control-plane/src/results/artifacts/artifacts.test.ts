import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resultIdOf } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aResult, keyOfCheck, keyOfLocation, storeResults } from "../../../test-support/builders.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import { purgeDeletedChecks } from "../retention/purge.ts";
import { registerResultRoutes } from "../routes.ts";
import type { BlobStore } from "./blob-store.ts";
import { blobStoreOf } from "./choose-blob-store.ts";
import { registerArtifactRoutes } from "./routes.ts";
import { storeArtifact } from "./store-artifact.ts";
import { sweepArtifacts } from "./sweep.ts";

const PUBLIC_URL = "http://127.0.0.1:8080";
/** More than one part of the database's store. */
const VIDEO = Buffer.concat([Buffer.from("1a45dfa3"), Buffer.from("webm"), Buffer.alloc(2_500_000, 3)]);
const PICTURE = Buffer.from("ffd8ffe000104a464946", "hex");

describe.each(["folder", "database"])("artifacts kept in a %s", (kind) => {
  let folder: string;
  let app: TestApp;
  let blobs: BlobStore;
  let locationKey: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "svc-artifacts-"));
    app = await createTestApp({
      settings: { SVC_DATA_DIR: folder, SVC_ARTIFACTS: kind },
      register: (server, services) => {
        registerCheckRoutes(server, services, []);
        registerResultRoutes(server, services);
        registerArtifactRoutes(server, services);
      },
    });
    await seedHostedLocations(app.services.knex);
    locationKey = await keyOfLocation(app.services.knex, "loc_us_east");
    blobs = blobStoreOf(app.services);
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A browser check with a result that names the files; those in `stored` are here. */
  async function aResultWith(files: readonly Buffer[], stored = files) {
    const { body } = await app.call("POST", "/api/checks", {
      name: "Shop",
      type: "browser",
      locations: ["loc_us_east"],
      browserConfig: { browserMode: "url", url: "http://127.0.0.1:9/" },
    });
    const checkId: string = body.check.id;
    const run = {
      checkKey: await keyOfCheck(app.services.knex, checkId),
      locationKey,
      slotMs: app.clock.nowMs(),
    };
    const takenAt = new Date(run.slotMs).toISOString();
    const describeFile = (content: Buffer) => ({
      sha256: createHash("sha256").update(content).digest("hex"),
      contentType: content === VIDEO ? "video/webm" : "image/jpeg",
      bytes: content.length,
      takenAt,
      // A URL that a runner reports must not reach anybody.
      url: "https://elsewhere.example/",
    });
    const screenshotsJson = files
      .filter((file) => file !== VIDEO)
      .map((file) => ({ step: "Load page", ...describeFile(file) }));
    const videoJson = files.includes(VIDEO) ? { videoJson: describeFile(VIDEO) } : {};
    const detail = JSON.stringify({ screenshotsJson, ...videoJson });
    await storeResults(app.services.knex, [aResult(run, { detail } as object)]);
    for (const content of stored)
      await storeArtifact(
        { services: app.services, blobs },
        { ...run, teamId: app.team.teamId },
        {
          content,
          sha256: createHash("sha256").update(content).digest(),
          contentType: content === VIDEO ? "video/webm" : "image/jpeg",
        },
      );
    const path = `/api/checks/${checkId}/results/${resultIdOf(run)}`;
    const { result } = (await app.call("GET", path)).body;
    return { checkId, run, path, result };
  }

  const fetchLink = async (url: string, headers = {}) => {
    const {
      statusCode,
      headers: answered,
      rawPayload,
    } = await app.app.inject({
      method: "GET",
      url: url.replace(PUBLIC_URL, ""),
      headers,
    });
    return { status: statusCode, headers: answered, content: rawPayload };
  };

  /** Moves stored instants back by more than an hour, since the database has a clock of its own. */
  const ageBlobs = () =>
    app.services.knex.raw("UPDATE artifact_blobs SET used_at = used_at - interval '2 hours'");

  test("a result links to its picture and its video, which are fetched without a credential", async () => {
    const { result, checkId } = await aResultWith([PICTURE, VIDEO]);
    const [{ url, urlExpiresAt, step }] = result.screenshotsJson;
    expect(url).toContain(`${PUBLIC_URL}/api/artifacts/art_`);
    expect(Date.parse(urlExpiresAt) - app.clock.nowMs()).toBeGreaterThanOrEqual(3_600_000);
    expect(step).toBe("Load page");
    const picture = await fetchLink(url);
    expect(picture.content).toEqual(PICTURE);
    expect(picture.headers).toMatchObject({
      "content-type": "image/jpeg",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringContaining("sandbox"),
      "content-disposition": expect.stringMatching(/^inline; filename="art_\w+\.jpg"$/),
      "cache-control": expect.stringContaining("private"),
    });
    const video = await fetchLink(result.videoJson.url);
    expect(video.content.equals(VIDEO)).toBe(true);
    const [listed] = (await app.call("GET", `/api/checks/${checkId}/results?detail=true`)).body.results;
    expect(listed.screenshotsJson).toEqual(result.screenshotsJson);
  });

  test("a part of a video is answered by its range", async () => {
    const { result } = await aResultWith([VIDEO]);
    const part = await fetchLink(result.videoJson.url, { range: "bytes=1000000-2400000" });
    expect(part.status).toBe(206);
    expect(part.content.equals(VIDEO.subarray(1_000_000, 2_400_001))).toBe(true);
    expect(part.headers["content-range"]).toBe(`bytes 1000000-2400000/${VIDEO.length}`);
    expect((await fetchLink(result.videoJson.url, { range: "bytes=9999999-" })).status).toBe(416);
  });

  test("a link expires, and reading the result again gives a new one", async () => {
    const { result, path } = await aResultWith([PICTURE]);
    const { url, urlExpiresAt } = result.screenshotsJson[0];
    app.clock.advance(Date.parse(urlExpiresAt) - app.clock.nowMs() - 1);
    expect((await fetchLink(url)).status).toBe(200);
    app.clock.advance(1);
    expect((await fetchLink(url)).status).toBe(410);
    const again = (await app.call("GET", path)).body.result.screenshotsJson[0].url;
    expect((await fetchLink(again)).status).toBe(200);
  });

  test("the signature of one file opens no other, and another team does not see the links", async () => {
    const first = await aResultWith([PICTURE]);
    const second = await aResultWith([PICTURE]);
    const idOf = (url: string) => new URL(url).pathname.split("/").at(-1) as string;
    const [url, other] = [first, second].map(({ result }) => result.screenshotsJson[0].url) as [
      string,
      string,
    ];
    expect((await fetchLink(url.replace(idOf(url), idOf(other)))).status).toBe(404);
    expect((await fetchLink(url.replace(/signature=.*/, ""))).status).toBe(400);
    const strangers = await app.createTeam();
    expect((await app.call("GET", first.path, undefined, strangers.byKey)).status).toBe(404);
  });

  test("a file that is not here (yet) has no link, whatever the runner wrote", async () => {
    const { result } = await aResultWith([PICTURE, VIDEO], []);
    for (const file of [result.screenshotsJson[0], result.videoJson]) {
      expect(file).toMatchObject({ sha256: expect.any(String), takenAt: expect.any(String) });
      expect(file).not.toHaveProperty("url");
    }
  });

  test("a content is removed when no run has it any more, and not before", async () => {
    const content = Buffer.concat([PICTURE, Buffer.from("shared")]);
    const first = await aResultWith([content]);
    const second = await aResultWith([content]);
    const { result } = second;
    const [{ blobKey }] = await app.services.knex("artifacts").where({ checkKey: first.run.checkKey });
    const isKept = async () => (await blobs.read(blobKey, { start: 0, end: 0 }))?.resume() !== undefined;

    expect((await app.call("DELETE", `/api/checks/${first.checkId}`)).status).toBe(200);
    expect((await fetchLink(first.result.screenshotsJson[0].url)).status).toBe(404);
    await purgeDeletedChecks(app.services.knex, { settle: "0 seconds", keptForExport: "30 days" });
    await ageBlobs();
    await sweepArtifacts(app.services.knex, blobs);
    expect(await isKept()).toBe(true);
    expect((await fetchLink(result.screenshotsJson[0].url)).status).toBe(200);

    await app.call("DELETE", `/api/checks/${second.checkId}`);
    await purgeDeletedChecks(app.services.knex, { settle: "0 seconds", keptForExport: "30 days" });
    await sweepArtifacts(app.services.knex, blobs);
    expect(await isKept()).toBe(false);
    expect(await app.services.knex("artifactBlobs").where({ key: blobKey })).toEqual([]);
  });

  test("a content that a run was given in this hour stays, though no run has it now", async () => {
    const content = Buffer.concat([PICTURE, Buffer.from("fresh")]);
    const { run } = await aResultWith([content]);
    const [{ blobKey }] = await app.services.knex("artifacts").where({ checkKey: run.checkKey });
    await app.services.knex("artifacts").where({ blobKey }).delete();
    await sweepArtifacts(app.services.knex, blobs);
    expect(await app.services.knex("artifactBlobs").where({ key: blobKey })).toHaveLength(1);
  });

  test("a run has 60 files at most", async () => {
    const { run } = await aResultWith([]);
    const add = (n: number) => {
      const content = Buffer.concat([PICTURE, Buffer.from(`${n}`)]);
      const sha256 = createHash("sha256").update(content).digest();
      const file = { content, sha256, contentType: "image/jpeg" } as const;
      return storeArtifact({ services: app.services, blobs }, { ...run, teamId: app.team.teamId }, file);
    };
    for (let n = 0; n < 60; n++) await add(n);
    await expect(add(60)).rejects.toMatchObject({ code: "limit_exceeded" });
  });

  test("files lie in the folder only when that is the store", () => {
    const path = join(folder, "artifacts");
    expect(existsSync(path) && readdirSync(path).length > 0).toBe(kind === "folder");
  });
});
