import { DAY_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test-support/database.ts";
import { setTelemetryStage, type TelemetryStage, tlsFacts } from "../../../test-support/telemetry.ts";
import { applySighting, type CertificateState, giveWarnings, nextWarningAtMs } from "./certificate-state.ts";
import { warnOfExpiry } from "./warn-of-expiry.ts";

const NOTHING: CertificateState = { views: {}, warned: {} };
const [A, B] = ["a".repeat(64), "b".repeat(64)];

describe("sightings", () => {
  const see = (state: CertificateState, locationKey: number, slotMs: number, fingerprintSha256: string) =>
    applySighting(state, { locationKey, slotMs, facts: tlsFacts({ fingerprintSha256 }) });

  it("the first sighting is recorded as observed, another location's of the same certificate is not", () => {
    const first = see(NOTHING, 1, 10, A);
    expect(first.change).toEqual({ isObserved: true, previousFingerprintSha256: undefined });
    expect(see(first.state, 2, 11, A).change.isObserved).toBe(false);
  });

  it("a rollout is recorded once, by the location that sees it first", () => {
    const both = see(see(NOTHING, 1, 10, A).state, 2, 10, A).state;
    const rolled = see(both, 1, 20, B);
    expect(rolled.change).toEqual({ isObserved: true, previousFingerprintSha256: A });
    expect(see(rolled.state, 2, 21, B).change.isObserved).toBe(false);
  });

  it("a sighting that comes late changes nothing", () => {
    const { state } = see(NOTHING, 1, 20, B);
    expect(see(state, 1, 10, A)).toEqual({
      state,
      change: { isObserved: false, previousFingerprintSha256: undefined },
    });
  });

  it("a replaced certificate is warned of no more", () => {
    const { state } = see(
      { views: { 1: { fingerprintSha256: A, validToMs: 0, slotMs: 1 } }, warned: { [A]: 7 } },
      1,
      2,
      B,
    );
    expect(state.warned).toEqual({});
  });
});

describe("warnings of expiry", () => {
  const state = (validToMs: number, warned = {}): CertificateState => ({
    views: { 1: { fingerprintSha256: A, validToMs, slotMs: 0 } },
    warned,
  });
  it.each([
    ["a millisecond before the first threshold", 30 * DAY_MS + 1, {}, []],
    ["at the first threshold", 30 * DAY_MS, {}, [30]],
    ["first seen within several thresholds", 6.5 * DAY_MS, {}, [7]],
    ["recorded already", 6.5 * DAY_MS, { [A]: 7 }, []],
    ["crossed the next one", 3 * DAY_MS, { [A]: 7 }, [3]],
    ["expired long since", -9 * DAY_MS, { [A]: 3 }, [1]],
    ["all were recorded", -9 * DAY_MS, { [A]: 1 }, []],
  ])("%s", (_, leftMs, warned, thresholds) => {
    const { warnings } = giveWarnings(state(leftMs, warned), 0);
    expect(warnings.map(({ thresholdDays }) => thresholdDays)).toEqual(thresholds);
  });

  it("the next look is when the next threshold is crossed, and never once all were recorded", () => {
    expect(nextWarningAtMs(state(100 * DAY_MS))).toBe(70 * DAY_MS);
    expect(nextWarningAtMs(state(100 * DAY_MS, { [A]: 30 }))).toBe(86 * DAY_MS);
    expect(nextWarningAtMs(state(100 * DAY_MS, { [A]: 1 }))).toBeNull();
  });
});

describe("in the database", () => {
  let database: TestDatabase;
  let stage: TelemetryStage;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.drop());
  beforeEach(async () => {
    stage = await setTelemetryStage(database.knex);
  });
  const events = () =>
    database
      .knex("derivedEvents")
      .where({ teamId: stage.team.id })
      .orderBy("id")
      .select("name", "attributes", "checkId", "severity", "traceId");

  it("a new certificate is recorded as changed and observed, with the run that saw it", async () => {
    const check = await stage.aCheck();
    await stage.store([{ check, tls: tlsFacts({ fingerprintSha256: A }) }]);
    await stage.store([{ check, tls: tlsFacts({ fingerprintSha256: B }), status: 3 }]);
    const recorded = await events();
    expect(recorded.map(({ name }) => name).sort()).toEqual([
      "synthetics.tls.certificate_changed",
      "synthetics.tls.certificate_observed",
      "synthetics.tls.certificate_observed",
    ]);
    const changed = recorded.find(({ name }) => name.endsWith("changed"));
    expect(changed?.checkId).toBe(check.id);
    expect(changed?.attributes).toMatchObject({
      "synthetics.location.id": stage.team.locationId,
      "synthetics.check.status": "error",
      "tls.server.hash.sha256": B.toUpperCase(),
      "synthetics.tls.previous_hash.sha256": A.toUpperCase(),
      "server.address": "shop.example.com",
    });
  });

  it("facts are exported as semantic conventions write them: the hash without colons, name and number of the protocol", async () => {
    const check = await stage.aCheck();
    const fingerprintSha256 = "ab:cd:".repeat(16).slice(0, -1);
    await stage.store([{ check, tls: tlsFacts({ fingerprintSha256, protocol: "TLSv1.3" }) }]);
    const [observed] = await events();
    expect(observed?.attributes).toMatchObject({
      "tls.server.hash.sha256": "ABCD".repeat(16),
      "tls.protocol.name": "tls",
      "tls.protocol.version": "1.3",
    });
  });

  it("two locations that see it at once tell of it once", async () => {
    const check = await stage.aCheck();
    const slotMs = Date.now() - 10_000;
    await Promise.all(
      [1, 2, 3, 4].map((locationKey) => stage.store([{ check, locationKey, slotMs, tls: tlsFacts() }])),
    );
    expect(await events()).toHaveLength(1);
  });

  it("a result that is stored already tells nothing again", async () => {
    const check = await stage.aCheck();
    const slotMs = Date.now() - 10_000;
    await stage.store([{ check, slotMs, tls: tlsFacts({ fingerprintSha256: A }) }]);
    await stage.store([{ check, slotMs, tls: tlsFacts({ fingerprintSha256: B }) }]);
    expect(await events()).toHaveLength(1);
  });

  it("several replicas that look at once warn once per threshold, with the newest run that sees the certificate", async () => {
    const check = await stage.aCheck();
    const nowMs = Date.now();
    const validTo = new Date(nowMs + 10 * DAY_MS).toISOString();
    const traceId = "01234567-89ab-cdef-0123-456789abcdef";
    await stage.store([{ check, traceId, tls: tlsFacts({ validTo }) }]);
    const looks = await Promise.all([1, 2, 3].map(() => warnOfExpiry(database.knex, nowMs)));
    expect(looks.reduce((a, b) => a + b)).toBe(1);
    expect(await warnOfExpiry(database.knex, nowMs + 8 * DAY_MS)).toBe(1);
    const warnings = (await events()).filter(({ name }) => name === "synthetics.tls.expiring_soon");
    for (const { attributes, traceId } of warnings) {
      expect(traceId).toBe("0123456789abcdef0123456789abcdef");
      expect(attributes).toMatchObject({
        "synthetics.run.id": expect.stringMatching(/^run_/),
        "synthetics.location.id": stage.team.locationId,
        "synthetics.location.name": expect.any(String),
        "synthetics.check.status": "success",
      });
    }
    expect(
      warnings.map(({ severity, attributes }) => [severity, attributes["synthetics.tls.threshold_days"]]),
    ).toEqual([
      ["warning", 14],
      ["critical", 3],
    ]);
  });

  it("a location that the check left keeps no replaced certificate in sight", async () => {
    const check = await stage.aCheck();
    const nowMs = Date.now();
    const validTo = new Date(nowMs + DAY_MS).toISOString();
    await stage.store([{ check, locationKey: 999, tls: tlsFacts({ validTo }) }]);
    expect(await warnOfExpiry(database.knex, nowMs)).toBe(0);
  });
});
