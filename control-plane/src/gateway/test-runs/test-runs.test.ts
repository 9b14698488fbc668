import { create } from "@bufbuild/protobuf";
import { createTestRunSchema } from "@svc/contract";
import { FaultReason, ResultBatchSchema, TestRunReportSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { seedHostedLocations } from "../../checks/locations/seed.ts";
import { registerCheckRoutes } from "../../checks/routes.ts";
import type { AssignableRunner } from "../../fleet/assignment.ts";
import { OPERATOR, type TeamContext } from "../../platform/team-context.ts";
import { createTestRun } from "./create-test-run.ts";
import { getTestRun } from "./get-test-run.ts";
import { receiveTestRunReport } from "./receive-report.ts";
import { registerTestRunRoutes } from "./routes.ts";
import { claimTestRun, deleteExpiredTestRuns, readUnsentTestRuns } from "./store.ts";
import { BEGIN_WITHIN_MS, KEPT_MS } from "./timing.ts";

const RUNNER = 7;
const aRunner = (more: Partial<AssignableRunner> = {}): AssignableRunner => ({
  runnerKey: RUNNER,
  locationKeys: [],
  capabilities: new Set(["http", "vault", "test_runs"]),
  capacityPerSecond: 10,
  isDraining: false,
  connectedAtMs: 0,
  leaseUntilMs: 0,
  notAcceptingSinceMs: null,
  ...more,
});

let test: TestApp;
let runners: AssignableRunner[] = [];
/** Runners that another replica admitted: known after a refresh only. */
let admittedElsewhere: AssignableRunner[] = [];
beforeAll(async () => {
  test = await createTestApp({
    register: (app, services) => {
      registerCheckRoutes(app, services, []);
      registerTestRunRoutes(app, services, {
        state: { aliveFor: () => runners },
        refreshFleet: async () => {
          runners = [...runners, ...admittedElsewhere];
        },
      });
    },
  });
  await seedHostedLocations(test.services.knex);
});
afterAll(() => test.close());
beforeEach(async () => {
  runners = [aRunner()];
  admittedElsewhere = [];
  test.team = await test.createTeam();
});

const body = (more: object = {}) => ({
  type: "http",
  httpConfig: { url: "https://shop.example/" },
  locations: ["loc_us_east"],
  ...more,
});
const begin = (more: object = {}) => test.call("POST", "/api/test-runs", body(more));
const read = async (id: string) =>
  (await test.call("GET", `/api/test-runs/${id}`)).body.testRun?.locations[0];

/** Begins a test run, and has the runner get it. Returns its id, and the report of that runner. */
async function aClaimedRun() {
  const { id } = (await begin()).body.testRun;
  const { key } = await test.services.knex("testRuns").where({ id }).first("key");
  const unsent = await readUnsentTestRuns(test.services.knex, test.clock.nowMs());
  const locationKey = unsent.find((run) => run.key === key)?.locationKey ?? 0;
  await test.services.knex.raw(
    `INSERT INTO runners (key, id, runner_key_id, runner_uuid, process_uuid, location_keys, hostname, version, capabilities,
       capacity_per_second, replica_id, connected_at, last_heartbeat_at, lease_until)
     OVERRIDING SYSTEM VALUE
     VALUES (?, 'rnr_test', 'rkey_test', gen_random_uuid(), gen_random_uuid(), ?, 'h', '1', '{http}', 1, 'r', now(), now(), now() + interval '1 h')
     ON CONFLICT (key) DO NOTHING`,
    [RUNNER, [locationKey]],
  );
  expect(await claimTestRun(test.services.knex, { key, locationKey, runnerKey: RUNNER })).toBe(true);
  expect(await claimTestRun(test.services.knex, { key, locationKey, runnerKey: RUNNER + 1 })).toBe(false);
  const report = (said: object, from = RUNNER) =>
    receiveTestRunReport(
      test.services,
      create(TestRunReportSchema, { testRunId: id, locationKey, report: said as never }),
      from,
    );
  return { id, locationKey, report };
}

/** A result as an agent reports it. */
const aBatch = (detail: object, more: object = {}) =>
  create(ResultBatchSchema, {
    checkKeys: [1n],
    locationKeys: [1],
    slotsMs: [BigInt(Date.UTC(2026, 5, 1))],
    startDelaysMs: [5],
    elapsedUs: [1200],
    statuses: [1],
    httpStatusCodes: [200],
    responseTimeUs: [1000],
    dnsLookupUs: [-1],
    tcpConnectUs: [100],
    tlsHandshakeUs: [-1],
    ttfbUs: [800],
    contentTransferUs: [50],
    traceIds: new Uint8Array(16),
    details: [{ index: 0, detailJson: JSON.stringify(detail) }],
    ...more,
  });

it("is for a runner, too, that another replica has just admitted", async () => {
  runners = [];
  admittedElsewhere = [aRunner()];
  expect((await begin()).body.testRun.locations).toMatchObject([{ phase: "ordered", problem: null }]);
});

it("tells how it goes: ordered, running, done with what was found", async () => {
  expect((await begin()).body.testRun.locations).toMatchObject([{ phase: "ordered", runnerId: null }]);
  const { id, report } = await aClaimedRun();
  expect(await read(id)).toMatchObject({
    phase: "ordered",
    runnerId: "rnr_test",
    problem: null,
    result: null,
  });
  await report({ case: "started", value: {} });
  expect(await read(id)).toMatchObject({ phase: "running" });
  await report({ case: "result", value: aBatch({ notes: ["cut"] }) });
  expect(await read(id)).toEqual({
    locationId: "loc_us_east",
    screenshots: [],
    runnerId: "rnr_test",
    phase: "done",
    problem: null,
    result: expect.objectContaining({
      status: "success",
      timing: { tcpConnectMs: 0.1, ttfbMs: 0.8, contentTransferMs: 0.05, totalMs: 1 },
      notes: ["cut"],
      startedAt: "2026-06-01T00:00:00.005Z",
    }),
  });
  await report({ case: "started", value: {} });
  expect(await read(id)).toMatchObject({ phase: "done" });
});

it("hears only the runner that it was sent to, and refuses an answer that can't be read", async () => {
  const { id, report } = await aClaimedRun();
  await report({ case: "result", value: aBatch({}) }, RUNNER + 1);
  expect(await read(id)).toMatchObject({ phase: "ordered" });
  await report({ case: "result", value: aBatch({}, { responseTimeUs: [-5] }) });
  expect(await read(id)).toMatchObject({
    phase: "failed",
    problem: "The runner's answer can't be read: response_time_us -5 is out of range",
  });
});

it("says why a runner could not run it, or that no runner took it, or that it was lost", async () => {
  const faulty = await aClaimedRun();
  await faulty.report({ case: "fault", value: FaultReason.CAPACITY });
  expect((await read(faulty.id)).problem).toBe("The runner was too busy for it. Try again.");

  const lost = await aClaimedRun();
  await test.services
    .knex("runners")
    .where({ key: RUNNER })
    .update({ leaseUntil: new Date(0) });
  expect((await read(lost.id)).problem).toBe("The runner was lost while it ran it.");
  await test.services.knex("runners").where({ key: RUNNER }).delete();

  const { id } = (await begin()).body.testRun;
  test.clock.advance(BEGIN_WITHIN_MS + 1);
  expect((await read(id)).problem).toBe("No runner took it within 30 s.");
});

it.each<[string, AssignableRunner[], string]>([
  ["no runner is there", [], "No runner is connected at this location."],
  ["all are stopping", [aRunner({ isDraining: true })], "No runner is connected at this location."],
  [
    "none runs the type",
    [aRunner({ capabilities: new Set(["mcp", "test_runs"]) })],
    "No runner at this location can run checks of type http.",
  ],
  [
    "all are older",
    [aRunner({ capabilities: new Set(["http"]) })],
    "The runners at this location are too old for test runs: update svc-runner there.",
  ],
])("fails at once when %s", async (_, connected, problem) => {
  runners = connected;
  const { status, body: answer } = await begin();
  expect([status, answer.testRun.locations]).toEqual([
    202,
    [{ locationId: "loc_us_east", runnerId: null, phase: "failed", problem, result: null, screenshots: [] }],
  ]);
});

it("is refused beyond three open ones of the team, and beyond ten a minute of a person", async () => {
  for (let i = 0; i < 3; i++) expect((await begin()).status).toBe(202);
  const fourth = await begin();
  expect([fourth.status, fourth.headers["retry-after"]]).toEqual([429, "5"]);
  runners = [];
  test.clock.advance(BEGIN_WITHIN_MS + 1);
  for (let i = 0; i < 7; i++) expect((await begin()).status).toBe(202);
  const eleventh = await begin();
  expect([eleventh.status, eleventh.headers["retry-after"]]).toEqual([429, "30"]);
  expect(eleventh.body.error).toContain("at most 10 a minute");
  test.clock.advance(30_000);
  expect((await begin()).status).toBe(202);
});

it("puts a check's stored secrets in, of its own team and type only", async () => {
  const { check } = (
    await test.call("POST", "/api/checks", {
      name: "Stored",
      ...body({ httpConfig: { url: "https://shop.example/", headers: { "X-Token": "hush" } } }),
    })
  ).body;
  const masked = { httpConfig: { url: "https://shop.example/", headers: { "X-Token": "***" } } };
  expect((await begin({ ...masked, checkId: check.id })).status).toBe(202);
  const unknown = await begin({ httpConfig: { url: "https://***@shop.example/" }, checkId: check.id });
  expect([unknown.status, JSON.stringify(unknown.body)]).toEqual([400, expect.stringContaining("***")]);
  const ofMcp = await begin({
    type: "mcp",
    httpConfig: undefined,
    mcpConfig: { endpoint: "https://mcp.example/mcp" },
    checkId: check.id,
  });
  expect([ofMcp.status, JSON.stringify(ofMcp.body)]).toEqual([400, expect.stringContaining("of type http")]);
  test.team = await test.createTeam();
  const foreign = await begin({ ...masked, checkId: check.id });
  expect([foreign.status, foreign.body.details.fieldErrors.checkId]).toEqual([
    400,
    ["there is no such check"],
  ]);
});

it("is another team's secret, keeps the newest 20 of a team, and expires", async () => {
  const { id } = (await begin()).body.testRun;
  const owner = test.team;
  test.team = await test.createTeam();
  expect((await test.call("GET", `/api/test-runs/${id}`)).status).toBe(404);
  test.team = owner;
  test.clock.advance(KEPT_MS + 1);
  expect((await test.call("GET", `/api/test-runs/${id}`)).status).toBe(404);
  await deleteExpiredTestRuns(test.services.knex, test.clock.nowMs());
  expect(await test.services.knex("testRuns").where({ teamId: owner.teamId })).toEqual([]);
  runners = [];
  for (let i = 0; i < 25; i++) {
    expect((await begin()).status).toBe(202);
    test.clock.advance(10_000);
  }
  expect(await test.services.knex("testRuns").where({ teamId: owner.teamId })).toHaveLength(20);
});

it.each([
  ["locations", { locations: ["loc_us_east", "loc_eu_west", "loc_us_west", "loc_eu_central"] }, "at most 3"],
  ["locations", { locations: ["loc_nowhere"] }, "is not a location"],
  ["httpConfig", { httpConfig: { url: "ftp://shop.example" } }, "http"],
  ["httpConfig", { httpConfig: { url: "https://a.example/{{vault.NONE}}" } }, "there is no secret NONE"],
])("refuses %s that can't be used: %o", async (field, more, message) => {
  const { status, body: answer } = await begin(more);
  expect([status, JSON.stringify(answer.details.fieldErrors[field])]).toEqual([
    400,
    expect.stringContaining(message),
  ]);
});

it("keeps the pictures that the runner sends, within limits, for the team alone", async () => {
  const { id, locationKey } = await aClaimedRun();
  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(400_000, 7)]);
  await receiveTestRunReport(
    test.services,
    create(TestRunReportSchema, {
      testRunId: id,
      locationKey,
      report: { case: "result", value: aBatch({}) },
      pictures: [
        { step: "Open", jpeg },
        { step: "A page that is none", jpeg: Buffer.from("<script>") },
        { step: "bad\0name", jpeg },
        { step: "Too much", jpeg },
      ],
    }),
    RUNNER,
  );
  const { screenshots } = await read(id);
  expect(screenshots).toMatchObject([{ step: "Open" }, { step: null }]);
  const answer = await test.app.inject({ url: screenshots[0].path, headers: test.team.byKey });
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "image/jpeg"]);
  expect(answer.rawPayload.equals(jpeg)).toBe(true);
  const other = await test.createTeam();
  const ofOther = await test.app.inject({ url: screenshots[0].path, headers: other.byKey });
  expect(ofOther.statusCode).toBe(404);
  await test
    .call("GET", `${screenshots[0].path.replace(/\d+$/, "9")}`)
    .then(({ status }) => expect(status).toBe(404));
});

it("one with limits is for a runner that holds to them, and carries them", async () => {
  const limits = { origins: ["https://shop.example"], readOrigins: null, allowsWrites: false };
  const ctx: TeamContext = { services: test.services, teamId: test.team.teamId, author: OPERATOR };
  const input = createTestRunSchema.parse(body());
  const state = { aliveFor: () => runners };
  const refused = await createTestRun(ctx, { input, state, limits });
  expect(refused.locations[0]?.problem).toMatch(/too old.*update svc-runner/);
  runners = [aRunner({ capabilities: new Set(["http", "test_runs", "limited_test_runs"]) })];
  const { id } = await createTestRun(ctx, { input, state, limits });
  const unsent = await readUnsentTestRuns(test.services.knex, test.clock.nowMs());
  const { key } = await test.services.knex("testRuns").where({ id }).first("key");
  expect(unsent.find((run) => run.key === key)?.limits).toEqual(limits);

  // A replica of the version before, which knows no limits, sends and claims those in phase "ordered" alone.
  const rows = test.services.knex("testRunLocations").where({ testRunKey: key });
  expect(await rows.clone().where({ phase: "ordered" })).toEqual([]);
  expect((await getTestRun(ctx, { id })).locations[0]).toMatchObject({ phase: "ordered" });
  const { locationKey } = await rows.clone().first("locationKey");
  const claim = { key, locationKey, runnerKey: RUNNER };
  expect(await claimTestRun(test.services.knex, claim)).toBe(true);
  expect(await claimTestRun(test.services.knex, { ...claim, runnerKey: RUNNER + 1 })).toBe(false);
  expect(await rows.clone().first("phase", "runnerKey")).toEqual({ phase: "ordered", runnerKey: RUNNER });
});
