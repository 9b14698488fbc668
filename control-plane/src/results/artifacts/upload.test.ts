import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { PutArtifactRequestSchema, RunnerService } from "@svc/proto/svc/runner/v1/runner_pb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import {
  aCheck,
  aRunnerKey,
  aTeam,
  recentSlots,
  startTestFleet,
  type TestCheck,
  type TestFleet,
  type TestTeam,
  testServices,
} from "../../../test-support/fleet.ts";

const JPEG = Buffer.concat([Buffer.from("ffd8ffe0", "hex"), Buffer.alloc(600_000, 7)]);

let database: TestDatabase;
let replica: TestFleet;
let folder: string;
let team: TestTeam;
let check: TestCheck;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-artifacts-"));
  database = await createTestDatabase();
  const settings = { SVC_DATA_DIR: folder, SVC_ARTIFACT_TEAM_BYTES_MAX: "2000000" };
  replica = await startTestFleet(testServices(database.knex, settings));
  team = await aTeam(database.knex);
  check = await aBrowserCheck(team);
});
afterAll(async () => {
  await replica?.close();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const aBrowserCheck = (owner: TestTeam, more: object = {}) =>
  aCheck(database.knex, owner, { type: "browser", effectiveFromMs: Date.now() - 3_600_000, ...more });

interface Upload {
  secret?: string;
  checkKey?: number;
  locationKey?: number;
  slotMs?: number;
  content?: Buffer;
  sha256?: Buffer;
  bytes?: number;
}

/** Sends a file in two parts. @returns undefined, or the code and text of the refusal */
async function put({ secret = team.runnerSecret, content = JPEG, ...header }: Upload = {}) {
  const client = createClient(RunnerService, createGrpcTransport({ baseUrl: replica.url }));
  const sha256 = header.sha256 ?? createHash("sha256").update(content).digest();
  type Part = NonNullable<MessageInitShape<typeof PutArtifactRequestSchema>["part"]>;
  const part = (value: Part) => create(PutArtifactRequestSchema, { part: value });
  const slotMs = header.slotMs ?? (recentSlots(check, 1)[0] as number);
  async function* parts() {
    yield part({
      case: "header",
      value: {
        checkKey: BigInt(header.checkKey ?? check.key),
        locationKey: header.locationKey ?? team.locationKey,
        slotMs: BigInt(slotMs),
        sha256: Uint8Array.from(sha256),
        bytes: header.bytes ?? content.length,
      },
    });
    for (let at = 0; at < content.length; at += 500_000)
      yield part({ case: "chunk", value: Uint8Array.from(content.subarray(at, at + 500_000)) });
  }
  try {
    await client.putArtifact(parts(), { headers: { authorization: `Bearer ${secret}` }, timeoutMs: 20_000 });
    return undefined;
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error);
    return { code, text: rawMessage };
  }
}

const storedOf = (owner: TestTeam) =>
  database
    .knex("artifacts")
    .join("artifactBlobs", "artifactBlobs.key", "artifacts.blobKey")
    .where({ "artifacts.teamId": owner.id })
    .select("artifacts.slotMs", "artifactBlobs.key", "artifactBlobs.contentType", "artifactBlobs.bytes");

describe("an upload", () => {
  test("is stored before its result is there, and once however often it comes", async () => {
    const slotMs = recentSlots(check, 1)[0] as number;
    expect(await put({ slotMs })).toBeUndefined();
    expect(await Promise.all([put({ slotMs }), put({ slotMs })])).toEqual([undefined, undefined]);
    expect(await storedOf(team)).toEqual([
      { slotMs, key: expect.any(String), contentType: "image/jpeg", bytes: JPEG.length },
    ]);
  });

  test("of a content that the team has is kept once for both runs; another team's is its own", async () => {
    const others = await aTeam(database.knex);
    const theirs = await aBrowserCheck(others);
    const [first, second] = recentSlots(check, 2) as [number, number];
    await put({ slotMs: first });
    await put({ slotMs: second });
    const inOtherTeam = {
      secret: others.runnerSecret,
      checkKey: theirs.key,
      locationKey: others.locationKey,
      slotMs: recentSlots(theirs, 1)[0] as number,
    };
    expect(await put(inOtherTeam)).toBeUndefined();
    const keys = new Set((await storedOf(team)).map(({ key }) => key));
    expect(keys.size).toBe(1);
    expect(keys).not.toContain((await storedOf(others))[0].key);
  });

  test.each([
    ["with another hash", { sha256: Buffer.alloc(32) }, Code.InvalidArgument, "another hash"],
    ["that is a page", { content: Buffer.from("<html></html>") }, Code.InvalidArgument, "JPEG or PNG"],
    ["longer than it said", { bytes: 100 }, Code.InvalidArgument, "is longer"],
    ["shorter than it said", { bytes: JPEG.length + 1 }, Code.InvalidArgument, `${JPEG.length} came`],
    ["of more than 24 MiB", { bytes: 24 * 1024 * 1024 + 1 }, Code.InvalidArgument, "largest is 25165824"],
    [
      "of an instant that is no slot",
      { slotMs: Date.now() - 31_000 },
      Code.PermissionDenied,
      "neither a slot",
    ],
    ["of a check that does not exist", { checkKey: 999_999 }, Code.PermissionDenied, "no such check"],
    ["without a key", { secret: "nonsense" }, Code.Unauthenticated, "not a runner key"],
  ])("%s is refused and leaves nothing", async (_name, upload, code, text) => {
    const before = await database.knex("artifactBlobs").count();
    expect(await put(upload)).toMatchObject({ code, text: expect.stringContaining(text) });
    expect(await database.knex("artifactBlobs").count()).toEqual(before);
  });

  test("by a runner of another location is refused: another team's, and the hosted pool's", async () => {
    const others = await aTeam(database.knex);
    const hosted = await aRunnerKey(database.knex, null);
    for (const secret of [others.runnerSecret, hosted.runnerSecret])
      expect(await put({ secret })).toMatchObject({
        code: Code.PermissionDenied,
        text: expect.stringContaining("does not cover"),
      });
  });

  test("for another team's check at the runner's own location reads as for none", async () => {
    const others = await aTeam(database.knex);
    await aBrowserCheck(others);
    const upload = { secret: others.runnerSecret, locationKey: others.locationKey };
    expect(await put(upload)).toMatchObject({
      code: Code.PermissionDenied,
      text: expect.stringContaining("no such check"),
    });
  });

  test("for a check of another type is refused", async () => {
    const http = await aBrowserCheck(team, { type: "http" });
    const slotMs = recentSlots(http, 1)[0] as number;
    expect(await put({ checkKey: http.key, slotMs })).toMatchObject({ code: Code.PermissionDenied });
  });

  test("beyond the team's limit is refused, and takes nothing from other teams' budgets", async () => {
    const others = await aTeam(database.knex);
    const theirs = await aBrowserCheck(others);
    const [slotMs] = recentSlots(theirs, 1);
    const run = { secret: others.runnerSecret, checkKey: theirs.key, locationKey: others.locationKey };
    const content = (n: number) => Buffer.concat([JPEG, Buffer.from([n])]);
    const answers = [];
    for (const n of [1, 2, 3, 4]) answers.push(await put({ ...run, slotMs, content: content(n) } as Upload));
    expect(answers.map((answer) => answer?.code)).toEqual([
      undefined,
      undefined,
      undefined,
      Code.ResourceExhausted,
    ]);
    expect(await put({ content: content(5) })).toBeUndefined();
  });
});
