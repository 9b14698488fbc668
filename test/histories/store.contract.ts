/**
 * What sessions, watch and ingest rely on of their tables. It holds for PostgreSQL and for the model of histories, so that
 * neither drifts.
 */
import { randomUUID } from "node:crypto";
import type { CheckId, RunnerKeyId } from "@svc/contract";
import { phaseMs, slotAtOrAfter } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { GatewayStore } from "../../control-plane/src/gateway/gateway-store.ts";
import type { LeaseRenewal } from "../../control-plane/src/gateway/store.ts";
import { checkLocationId } from "../../control-plane/src/platform/check-location.ts";
import type { Circumstances } from "../../control-plane/src/results/coverage/circumstances-store.ts";
import { columnsFromBatch } from "../../control-plane/src/results/ingest/columns.ts";
import type { IngestStore } from "../../control-plane/src/results/ingest/ingest-store.ts";
import type { ResultGroup } from "../../control-plane/src/results/ingest/write-group.ts";
import { aBatch } from "../../control-plane/test-support/fleet.ts";

/** Time within which the transactions of other tests on the server end, ms. */
const UNCHANGED_WITHIN = { timeout: 50_000, interval: 100 };

/** The stores of one replica, with one check of 10 s at one location. */
export interface StoreStage {
  gateway: GatewayStore;
  ingest: IngestStore;
  checkKey: number;
  checkId: CheckId;
  locationKey: number;
  runnerKeyId: RunnerKeyId;
  /** The clock of the database, Unix ms. */
  nowMs(): number;
  /** Resolves as the work does. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** Begins a transaction that changes the check, and returns what commits it. */
  beginChange(): Promise<() => Promise<void>>;
  /** Has the check run at the slot in its location, as a user does. */
  triggerRun(slotMs: number): Promise<void>;
  /** Makes another check like the first one, and returns its key. */
  addCheck(): Promise<number>;
  deleteCheck(checkKey: number): Promise<void>;
  /** Returns why the slot was recorded as missed; undefined when it was not. */
  missedReason(slotMs: number): Promise<string | undefined>;
  /** Returns when runners were at the location, and when replicas could read no changes. */
  circumstances(): Promise<Circumstances>;
  close(): Promise<void>;
}

/** Adds the tests of the contract. */
export function describeStore(name: string, open: () => Promise<StoreStage>): void {
  describe(`the tables of ${name}`, () => {
    let stage: StoreStage;
    /** The newest slot that is past: which one that is must not change while the tests run. */
    let newestMs = 0;
    let nextSlot = 0;
    beforeAll(async () => {
      stage = await open();
      newestMs = slotAtOrAfter(stage.nowMs(), 10_000, phaseMs(stage.checkId, 10)) - 10_000;
    });
    afterAll(() => stage.close());

    /** Returns the next slot of the past that no test has used, newest first. */
    const aSlot = () => {
      const { checkKey, locationKey } = stage;
      return { checkKey, locationKey, slotMs: newestMs - 10_000 * nextSlot++ };
    };
    const groupOf = (slots: readonly ReturnType<typeof aSlot>[]): ResultGroup => {
      const columns = columnsFromBatch(aBatch(1, slots), 1);
      if (!columns) throw new Error("the batch is not whole");
      return { columns, details: [], facts: [] };
    };
    const store = async (slots: readonly ReturnType<typeof aSlot>[]) => {
      const hours = new Set(slots.map(({ slotMs }) => slotMs - (slotMs % 3_600_000)));
      await stage.settle(stage.ingest.ensureHours(hours));
      return stage.settle(stage.ingest.writeGroup(groupOf(slots), []));
    };
    const openSession = (runnerUuid = randomUUID(), sessionId = randomUUID(), processUuid = randomUUID()) =>
      stage.settle(
        stage.gateway.openRunnerSession({
          sessionId,
          runnerKeyId: stage.runnerKeyId,
          runnerUuid,
          processUuid,
          locationKey: stage.locationKey,
          locationKeys: [stage.locationKey],
          hostname: "host",
          version: "1",
          capabilities: ["http"],
          capacityPerSecond: 10,
          replicaId: "replica",
          perKeyMax: 100,
        }),
      );
    const runner = async (key: number) => {
      const rows = await stage.settle(stage.gateway.fleet.readRunners());
      return rows.find((row) => row.key === key);
    };
    const renew = (sessionId: string, changes: Partial<LeaseRenewal> = {}) =>
      stage.settle(
        stage.gateway.renewLeases([{ sessionId, accepting: true, draining: false, stats: {}, ...changes }]),
      );

    it("a change that commits late is read from a horizon that was read while it was open", async () => {
      const { fleet } = stage.gateway;
      const changed = async (horizon: string) =>
        (await stage.settle(fleet.readChangedChecks(horizon))).map(({ key }) => key);
      // A transaction of anyone else on the server that began before the check's last change holds the horizon back.
      const untilUnchanged = () =>
        vi.waitFor(
          async () => expect(await changed(await stage.settle(fleet.readHorizon()))).toEqual([]),
          UNCHANGED_WITHIN,
        );
      await untilUnchanged();
      const commit = await stage.beginChange();
      await openSession();
      const horizon = await stage.settle(fleet.readHorizon());
      const before = await changed(horizon);
      await commit();
      expect({ before, after: await changed(horizon) }).toEqual({ before: [], after: [stage.checkKey] });
      await untilUnchanged();
    }, 120_000);

    it("reads the check with its grid, its location and its document", async () => {
      const { fleet } = stage.gateway;
      const [check] = await stage.settle(fleet.readChecksPage(stage.checkKey - 1, 1));
      expect(check).toMatchObject({
        key: stage.checkKey,
        id: stage.checkId,
        type: "http",
        frequencySeconds: 10,
        enabled: true,
        usesVault: false,
        revisions: [{ frequencySeconds: 10, locationKeys: [stage.locationKey] }],
      });
      expect(await stage.settle(fleet.readChecksPage(stage.checkKey, 1))).toEqual([]);
      const locations = await stage.settle(fleet.readLocations());
      expect(locations.find(({ key }) => key === stage.locationKey)?.id).toBe(check?.locationIds[0]);
      const documents = await stage.settle(stage.gateway.loadCheckDocuments([stage.checkKey]));
      expect(documents.get(stage.checkKey)?.check).toMatchObject({
        checkKey: BigInt(stage.checkKey),
        frequencySeconds: 10,
        phaseMs: phaseMs(stage.checkId, 10),
        revision: BigInt(check?.revision ?? 0),
      });
    });

    it("gives a runner's lease to its newest session", async () => {
      const [uuid, first, second] = [randomUUID(), randomUUID(), randomUUID()];
      const opened = await openSession(uuid, first);
      expect(opened.previousProcessUuid).toBeNull();
      expect(await runner(opened.key)).toMatchObject({ sessionId: first, isAlive: true, draining: false });
      const again = await openSession(uuid, second);
      expect(again).toMatchObject({ key: opened.key, id: opened.id });
      expect(again.previousProcessUuid).not.toBeNull();
      await renew(first, { draining: true });
      await stage.settle(stage.gateway.endLease(first, 0));
      expect(await runner(opened.key)).toMatchObject({ sessionId: second, isAlive: true, draining: false });
    });

    it("remembers the breaks of a presence, those of one grace as one", async () => {
      const known = (await stage.circumstances()).presences.length;
      const newest = async () => {
        const { presences } = await stage.circumstances();
        return [...presences].sort((a, b) => a.fromMs - b.fromMs).slice(known);
      };
      const [uuid, process] = [randomUUID(), randomUUID()];
      const pause = () => stage.settle(stage.gateway.fleet.readHorizon());
      await openSession(uuid, randomUUID(), process);
      expect(await newest()).toMatchObject([
        { locationKey: stage.locationKey, capabilities: ["http"], breaks: [] },
      ]);
      await pause();
      await openSession(uuid, randomUUID(), process);
      const [once] = await newest();
      expect(once?.breaks).toEqual([[once?.untilMs, once?.untilMs]]);
      await pause();
      await openSession(uuid, randomUUID(), randomUUID());
      const [twice, ...others] = await newest();
      expect(others).toEqual([]);
      expect(twice?.breaks).toEqual([[once?.untilMs, twice?.untilMs]]);
    });

    it("remembers when a replica could read no changes", async () => {
      const nowMs = stage.nowMs();
      await stage.settle(stage.gateway.insertOutage("replica", { fromMs: nowMs - 40_000, untilMs: nowMs }));
      await stage.settle(stage.gateway.insertOutage("another", { fromMs: nowMs - 30_000, untilMs: nowMs }));
      const { outages } = await stage.circumstances();
      expect(outages).toHaveLength(2);
      expect(outages).toContainEqual({ fromMs: nowMs - 40_000, toMs: nowMs });
    });

    it("ends a lease at once after a goodbye, and shortens it after a break", async () => {
      const sessionId = randomUUID();
      const { key } = await openSession(randomUUID(), sessionId);
      await stage.settle(stage.gateway.endLease(sessionId, 5_000));
      const shortened = await runner(key);
      expect(shortened).toMatchObject({ sessionId, isAlive: true });
      expect((shortened?.leaseUntilMs ?? 0) - stage.nowMs()).toBeLessThanOrEqual(5_000);
      await stage.settle(stage.gateway.endLease(sessionId, 0));
      const ended = await runner(key);
      expect(ended?.sessionId).toBeNull();
      // PostgreSQL rounds to whole milliseconds, up as well.
      expect((ended?.leaseUntilMs ?? 0) - stage.nowMs()).toBeLessThanOrEqual(1);
    });

    it("notes by a heartbeat that a runner drains, or accepts nothing new and since when", async () => {
      const sessionId = randomUUID();
      const { key } = await openSession(randomUUID(), sessionId);
      await renew(sessionId, { accepting: false, draining: true });
      const first = await runner(key);
      expect(first?.draining).toBe(true);
      expect(first?.notAcceptingSinceMs).toBeTypeOf("number");
      await renew(sessionId, { accepting: false });
      expect((await runner(key))?.notAcceptingSinceMs).toBe(first?.notAcceptingSinceMs);
      await renew(sessionId);
      expect(await runner(key)).toMatchObject({ draining: false, notAcceptingSinceMs: null });
    });

    it("stores the first of results with one key, and says which rows were new", async () => {
      const [a, b] = [aSlot(), aSlot()];
      expect(await store([a])).toBe("all");
      expect(await store([a])).toEqual(new Set());
      expect(await store([a, b, b])).toEqual(new Set([1]));
      const found = await stage.settle(stage.gateway.findSlotsWithResults([b, aSlot(), a]));
      expect(found).toEqual(new Set([0, 2]));
    });

    it("tells the recent slots that have a result", async () => {
      const { checkKey, locationKey } = stage;
      const slot = aSlot();
      await store([slot]);
      const at = (nowMs: number) =>
        stage.settle(
          stage.gateway.readRecentSlotsWithResults([{ checkKey, locationKey, staggerMs: 0 }], nowMs),
        );
      expect((await at(slot.slotMs)).get(checkLocationId(slot))).toContain(slot.slotMs);
      const later = (await at(slot.slotMs + 35_001)).get(checkLocationId(slot)) ?? [];
      expect(later).not.toContain(slot.slotMs);
    });

    it("finds the manual runs among slots: of that check, at that slot, in a location that was asked for", async () => {
      const [unasked, asked] = [aSlot(), aSlot()];
      await stage.triggerRun(asked.slotMs);
      const { checkKey, locationKey } = stage;
      const slots = [
        unasked,
        asked,
        { ...asked, locationKey: locationKey + 1 },
        { ...asked, checkKey: checkKey + 1 },
        asked,
      ];
      for (const { findManualRuns } of [stage.ingest, stage.gateway]) {
        expect(await stage.settle(findManualRuns(slots))).toEqual(new Set([1, 4]));
        expect(await stage.settle(findManualRuns([unasked]))).toEqual(new Set());
      }
    });

    it("reads dispatches from a horizon on that was read before, for slots that are not older than asked for", async () => {
      const { fleet } = stage.gateway;
      const { slotMs } = aSlot();
      const dispatches = async (horizon: string, slotFromMs: number) =>
        (await stage.settle(fleet.readDispatches(horizon, slotFromMs))).filter(
          (row) => row.slotMs === slotMs,
        );
      const horizon = await stage.settle(fleet.readHorizon());
      expect(await dispatches(horizon, slotMs)).toEqual([]);
      await stage.triggerRun(slotMs);
      expect(await dispatches(horizon, slotMs)).toEqual([
        {
          checkKey: stage.checkKey,
          slotMs,
          locationKeys: [stage.locationKey],
          reason: "triggered",
          avoidRunnerKeys: [],
          traceparent: null,
        },
      ]);
      expect(await dispatches(horizon, slotMs + 1)).toEqual([]);
      await vi.waitFor(
        async () => expect(await dispatches(await stage.settle(fleet.readHorizon()), slotMs)).toEqual([]),
        UNCHANGED_WITHIN,
      );
    }, 120_000);

    it("reads a deleted check as deleted from a horizon on that was read before, and as a check no more", async () => {
      const { fleet } = stage.gateway;
      const checkKey = await stage.addCheck();
      const pageOf = async () =>
        (await stage.settle(fleet.readChecksPage(checkKey - 1, 1))).map(({ key }) => key);
      expect(await pageOf()).toEqual([checkKey]);
      const horizon = await stage.settle(fleet.readHorizon());
      const deleted = async (from: string) => stage.settle(fleet.readDeletedChecks(from));
      expect(await deleted(horizon)).not.toContain(checkKey);
      await stage.deleteCheck(checkKey);
      expect(await deleted(horizon)).toContain(checkKey);
      expect(await pageOf()).toEqual([]);
      expect((await stage.settle(fleet.readChangedChecks(horizon))).map(({ key }) => key)).not.toContain(
        checkKey,
      );
      expect((await stage.settle(stage.gateway.loadCheckDocuments([checkKey]))).size).toBe(0);
      await vi.waitFor(
        async () => expect(await deleted(await stage.settle(fleet.readHorizon()))).toEqual([]),
        UNCHANGED_WITHIN,
      );
    }, 120_000);

    it("remembers who gave a slot back, and closes it with the last reason unless it has a result", async () => {
      const { gateway } = stage;
      const [missed, stored] = [aSlot(), aSlot()];
      const horizon = await stage.settle(gateway.fleet.readHorizon());
      const runUntilMs = stage.nowMs() + 1_000;
      const give = (runnerKey: number, slot: typeof missed, reason: "runner_network" | "runner_crash") =>
        stage.settle(gateway.insertGivenBack(runnerKey, [{ ...slot, reason, runUntilMs }]));
      await give(7, missed, "runner_network");
      await give(8, missed, "runner_crash");
      await give(7, stored, "runner_network");
      const rows = await stage.settle(gateway.fleet.readGivenBack(horizon));
      expect(rows.find(({ slotMs }) => slotMs === missed.slotMs)).toMatchObject({
        ...missed,
        triedRunnerKeys: [7, 8],
        runUntilMs,
      });
      await store([stored]);
      await stage.settle(gateway.closeGivenBackSlots(runUntilMs));
      expect(await stage.missedReason(missed.slotMs)).toBeUndefined();
      await stage.settle(gateway.closeGivenBackSlots(runUntilMs + 1));
      expect(await stage.missedReason(missed.slotMs)).toBe("runner_crash");
      expect(await stage.missedReason(stored.slotMs)).toBeUndefined();
      const left = await stage.settle(gateway.fleet.readGivenBack(horizon));
      expect(left.filter(({ slotMs }) => slotMs === missed.slotMs || slotMs === stored.slotMs)).toEqual([]);
    });

    it("records a slot as missed for an open run, unless it has a result", async () => {
      const [missed, stored] = [aSlot(), aSlot()];
      await store([stored]);
      await stage.settle(stage.gateway.insertOverrun([missed, stored]));
      expect(await stage.missedReason(missed.slotMs)).toBe("previous_run");
      expect(await stage.missedReason(stored.slotMs)).toBeUndefined();
    });
  });
}
