import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { create } from "@bufbuild/protobuf";
import { newId } from "@svc/contract";
import { GetApiSpecRequestSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp, type TestTeam } from "../../../test-support/app.ts";
import { aCheck, keyOfCheck } from "../../../test-support/builders.ts";
import { getRunnerKey, runnerSecretOf } from "../../accounts/identity/authenticate-runner.ts";
import { hashToken } from "../../accounts/identity/tokens.ts";
import { loadChecksFor } from "../../fleet/check-documents.ts";
import { assertChannelsExist } from "../../outbox/channels/assert-channels-exist.ts";
import { registerLocationRoutes } from "../locations/routes.ts";
import { seedHostedLocations } from "../locations/seed.ts";
import { registerCheckRoutes } from "../routes.ts";
import { deliverSpec } from "./deliver-spec.ts";
import { registerSpecRoutes } from "./routes.ts";

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({
    register: async (app, services) => {
      registerCheckRoutes(app, services, []);
      registerLocationRoutes(app, services, assertChannelsExist);
      await registerSpecRoutes(app, services);
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());

function aDocument(version: string): string {
  // Long enough for several parts, and not to be compressed away.
  const padding = Array.from({ length: 20_000 }, (_, i) => createHash("sha256").update(`${i}`).digest("hex"));
  return JSON.stringify({ openapi: "3.0.3", info: { title: "T", version }, paths: {}, "x-padding": padding });
}

/** A spec that a check at the location uses. */
async function aSpecInUse(team: TestTeam, location: string) {
  const { spec } = (
    await test.call("POST", "/api/specs", { sourceType: "upload", content: aDocument("1") }, team.byKey)
  ).body;
  const assertions = [{ type: "openapi_conformance", specId: spec.id }];
  const body = aCheck({
    locations: [location],
    httpConfig: { url: "http://127.0.0.1:9/", assertions },
  } as object);
  const { check } = (await test.call("POST", "/api/checks", body, team.byKey)).body;
  return { specId: spec.id as string, checkId: check.id as string, sha256: await hashOf(spec.id) };
}

async function hashOf(specId: string): Promise<string> {
  return (await test.services.knex("apiSpecs").where({ id: specId }).first("contentSha256")).contentSha256;
}

async function aLocation(team: TestTeam): Promise<{ id: string; runnerKey: string }> {
  const { location } = (await test.call("POST", "/api/locations", { name: newId("location") }, team.byKey))
    .body;
  const { key } = (await test.call("POST", `/api/locations/${location.id}/keys`, {}, team.byKey)).body;
  return { id: location.id, runnerKey: key.secret };
}

async function aHostedKey(): Promise<string> {
  const secret = `rk_${createHash("sha256").update(newId("runnerKey")).digest("hex")}`;
  await test.services.knex("runnerKeys").insert({
    id: newId("runnerKey"),
    locationKey: null,
    name: "pool",
    keyPrefix: "rk_",
    keyHash: hashToken(secret),
  });
  return secret;
}

async function received(specId: string, contentSha256: string, runnerKey?: string) {
  const request = create(GetApiSpecRequestSchema, { specId, contentSha256 });
  const chunks: Uint8Array[] = [];
  const secret = runnerSecretOf(runnerKey && `Bearer ${runnerKey}`);
  const key = await getRunnerKey(test.services, secret);
  for await (const { chunk } of deliverSpec(test.services, request, key)) chunks.push(chunk);
  return chunks;
}

describe("a spec's document", () => {
  it("comes in parts to a runner of the location, and is the one that its check names", async () => {
    const team = await test.createTeam();
    const location = await aLocation(team);
    const { specId, checkId, sha256 } = await aSpecInUse(team, location.id);
    const { knex, secrets, log } = test.services;
    const key = await keyOfCheck(knex, checkId);
    const check = (await loadChecksFor({ knex, secrets, log }, [key], undefined)).get(key);
    expect(check?.apiSpecs).toMatchObject([{ specId, contentSha256: sha256 }]);
    const chunks = await received(specId, sha256, location.runnerKey);
    expect(chunks.length).toBeGreaterThan(1);
    const json = gunzipSync(Buffer.concat(chunks));
    expect(createHash("sha256").update(json).digest("hex")).toBe(sha256);
  });

  it("comes to the hosted pool for checks at hosted locations only", async () => {
    const team = await test.createTeam();
    const hosted = await aSpecInUse(team, "loc_us_east");
    const key = await aHostedKey();
    expect(await received(hosted.specId, hosted.sha256, key)).not.toEqual([]);
    const other = await test.createTeam();
    const own = await aSpecInUse(other, (await aLocation(other)).id);
    await expect(received(own.specId, own.sha256, key)).rejects.toMatchObject({ code: "not_found" });
  });

  it("does not come to a runner whose location has no check that uses it, of the same team or another", async () => {
    const team = await test.createTeam();
    const location = await aLocation(team);
    const { specId, sha256 } = await aSpecInUse(team, location.id);
    for (const stranger of [await aLocation(team), await aLocation(await test.createTeam())])
      await expect(received(specId, sha256, stranger.runnerKey)).rejects.toMatchObject({ code: "not_found" });
  });

  it("does not come without a key, nor under another hash or id", async () => {
    const team = await test.createTeam();
    const location = await aLocation(team);
    const { specId, sha256 } = await aSpecInUse(team, location.id);
    await expect(received(specId, sha256)).rejects.toMatchObject({ code: "unauthenticated" });
    await expect(received(specId, sha256, `rk_${"0".repeat(64)}`)).rejects.toMatchObject({
      code: "unauthenticated",
    });
    for (const [id, hash] of [
      [specId, "0".repeat(64)],
      [newId("spec"), sha256],
      ["' OR 1=1", sha256],
    ] as const)
      await expect(received(id, hash, location.runnerKey)).rejects.toMatchObject({ code: "not_found" });
  });

  it("that was replaced is named by the check's next revision", async () => {
    const team = await test.createTeam();
    const { specId, checkId, sha256 } = await aSpecInUse(team, "loc_us_west");
    await test.call("PUT", `/api/specs/${specId}`, { content: aDocument("2") }, team.byKey);
    const { knex, secrets, log } = test.services;
    const key = await keyOfCheck(knex, checkId);
    const check = (await loadChecksFor({ knex, secrets, log }, [key], undefined)).get(key);
    expect(check?.apiSpecs[0]?.contentSha256).toBe(await hashOf(specId));
    expect(check?.apiSpecs[0]?.contentSha256).not.toBe(sha256);
  });
});
