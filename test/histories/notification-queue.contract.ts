/**
 * What the notification worker relies on of the outbox. It holds for PostgreSQL and for the model of histories, so that neither
 * drifts.
 */
import { type AlertInstanceId, newId } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AlertNotificationKind } from "../../control-plane/src/outbox/payload.ts";
import type { ClaimedNotification } from "../../control-plane/src/response/notifications/claimed-notification.ts";
import type { DeliveryAttempt } from "../../control-plane/src/response/notifications/delivery-store.ts";
import type { NotificationQueue } from "../../control-plane/src/response/notifications/notification-queue.ts";

const LEASE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** An outbox for channels of two teams, and the steps of its tests. */
export interface QueueStage {
  queue: NotificationQueue;
  /** Keys of two channels of one team, then of a channel of another. */
  channelKeys: readonly [number, number, number];
  /** Writes a notification about an alert. */
  report(channelKey: number, instanceId: AlertInstanceId, kind: AlertNotificationKind): Promise<void>;
  /** Makes everything in the outbox older: its ages, delays and leases are nearer to their ends by so much. */
  age(ms: number): Promise<void>;
  /** Deletes all notifications. */
  empty(): Promise<void>;
  /** Resolves as the work does. */
  settle<T>(work: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const DELIVERED: DeliveryAttempt = {
  status: "delivered",
  httpStatus: 200,
  error: null,
  durationMs: 1,
  nextDelayMs: null,
  heldUntil: null,
  externalId: undefined,
};
const failedFor = (nextDelayMs: number | null): DeliveryAttempt => ({
  ...DELIVERED,
  status: "failed",
  httpStatus: 503,
  error: "503",
  nextDelayMs,
});

/** Adds the tests of the contract. */
export function describeNotificationQueue(name: string, open: () => Promise<QueueStage>): void {
  describe(`the outbox of ${name}`, () => {
    let stage: QueueStage;
    let first: number;
    let second: number;
    let foreign: number;
    beforeAll(async () => {
      stage = await open();
      [first, second, foreign] = stage.channelKeys;
    });
    afterAll(() => stage.close());
    beforeEach(() => stage.empty());

    const claim = (
      owner = "a",
      options: { limit?: number; perChannel?: number; space?: [number, number][] } = {},
    ) =>
      stage.settle(
        stage.queue.claim({
          owner,
          leaseMs: LEASE_MS,
          limit: options.limit ?? 100,
          perChannel: options.perChannel ?? 100,
          space: new Map(options.space ?? []),
        }),
      );
    const record = (owner: string, claimed: ClaimedNotification | undefined, attempt: DeliveryAttempt) =>
      stage.settle(stage.queue.record(owner, claimed ? [{ claimed, attempt }] : []));
    const report = async (
      channelKey: number,
      kind: AlertNotificationKind = "triggered",
      id = anInstance(),
    ) => {
      await stage.report(channelKey, id, kind);
      return id;
    };
    const said = (claimed: readonly ClaimedNotification[]) =>
      claimed.map(({ channelKey, kind, attempt }) => [channelKey, kind, attempt]);

    it("a notification is claimed by one, until the lease ends; then anew, as the next attempt", async () => {
      await report(first);
      expect(said(await claim("a"))).toEqual([[first, "triggered", 1]]);
      expect(await claim("b")).toEqual([]);
      await stage.age(LEASE_MS - 10_000);
      expect(await claim("b")).toEqual([]);
      await stage.age(10_000);
      const again = await claim("b");
      expect(said(again)).toEqual([[first, "triggered", 2]]);
      expect(again[0]?.ageMs).toBeGreaterThanOrEqual(LEASE_MS);
    });

    it("of an alert's notifications a channel's next one is free once the one before is delivered or given up", async () => {
      const alert = await report(first);
      await report(first, "acknowledged", alert);
      await report(first, "recovered", alert);
      await report(second, "recovered", alert);
      await report(first, "escalated");
      const [triggered, ...others] = await claim("a");
      expect(said([triggered as ClaimedNotification, ...others])).toEqual([
        [first, "triggered", 1],
        [second, "recovered", 1],
        [first, "escalated", 1],
      ]);
      await record("a", triggered, failedFor(2_000));
      expect(await claim("a")).toEqual([]);
      await stage.age(2_000);
      const [retried] = await claim("a");
      expect(said([retried as ClaimedNotification])).toEqual([[first, "triggered", 2]]);
      await record("a", retried, DELIVERED);
      const [acknowledged] = await claim("a");
      expect(acknowledged?.kind).toBe("acknowledged");
      await record("a", acknowledged, failedFor(null));
      expect(said(await claim("a"))).toEqual([[first, "recovered", 1]]);
    });

    it("no more of a channel are claimed than are asked for, and than there is space for", async () => {
      for (let i = 0; i < 4; i++) for (const key of [first, second]) await report(key);
      expect((await claim("a", { perChannel: 3, space: [[first, 1]] })).map(keyOf).sort()).toEqual(
        [first, second, second, second].sort(),
      );
      const full: [number, number][] = [
        [first, 0],
        [second, -1],
      ];
      expect(await claim("a", { space: full })).toEqual([]);
      expect((await claim("a", { space: [[first, 9]] })).map(keyOf).sort()).toEqual(
        [first, first, first, second].sort(),
      );
    });

    it("teams are claimed in turns, each its oldest first", async () => {
      for (let i = 0; i < 3; i++) for (const key of [first, second]) await report(key);
      await report(foreign);
      expect((await claim("a", { limit: 3 })).map(keyOf)).toEqual([first, second, foreign]);
    });

    it("what its owner releases is free at once, and was not attempted", async () => {
      await report(first);
      const keys = (await claim("a")).map(({ key }) => key);
      await stage.settle(stage.queue.release("b", keys));
      expect(await claim("b")).toEqual([]);
      await stage.settle(stage.queue.release("a", keys));
      expect(said(await claim("b"))).toEqual([[first, "triggered", 1]]);
    });

    it("a success counts for the first time once, whoever holds the notification, and no failure undoes it", async () => {
      await report(first);
      const [lost] = await claim("a");
      await stage.age(LEASE_MS);
      const [held] = await claim("b");
      expect(await record("a", lost, DELIVERED)).toMatchObject([{ isFirstSuccess: true }]);
      expect(await record("b", held, DELIVERED)).toMatchObject([{ isFirstSuccess: false }]);
      expect(await record("b", held, failedFor(0))).toMatchObject([{ isFirstSuccess: false }]);
      await stage.age(LEASE_MS);
      expect(await claim("b")).toEqual([]);
    });

    it("a failure whose lease was taken over leaves the notification to its holder", async () => {
      await report(first);
      const [lost] = await claim("a");
      await stage.age(LEASE_MS);
      const [held] = await claim("b");
      await record("a", lost, failedFor(null));
      await record("a", lost, failedFor(0));
      expect(await claim("c")).toEqual([]);
      await record("b", held, failedFor(0));
      expect(said(await claim("c"))).toEqual([[first, "triggered", 3]]);
    });

    it("what is due and older than an hour is given up, what is held is not", async () => {
      await report(first);
      await report(second);
      await stage.age(HOUR_MS - 10_000);
      const [held] = await claim("a", { space: [[second, 0]] });
      expect(held?.channelKey).toBe(first);
      expect(await stage.settle(stage.queue.expire())).toBe(0);
      await stage.age(10_001);
      expect(await stage.settle(stage.queue.expire())).toBe(1);
      expect(await claim("b")).toEqual([]);
      await stage.age(LEASE_MS);
      expect(said(await claim("b"))).toEqual([[first, "triggered", 2]]);
    });

    it("a commit that writes a notification wakes whoever listens", async () => {
      const stop = new AbortController();
      let count = 0;
      stage.queue.wakeUps.listen({ onWakeUp: () => count++, signal: stop.signal });
      // The first wake-up says that the connection listens, and any may get lost.
      for (let seen = 0; seen < 2; seen = count) await report(first);
      stop.abort();
    });
  });
}

function anInstance(): AlertInstanceId {
  return newId("alertInstance");
}

function keyOf({ channelKey }: ClaimedNotification): number {
  return channelKey;
}
