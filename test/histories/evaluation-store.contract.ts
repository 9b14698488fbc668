/** What the evaluation of alerts relies on of its tables. It holds for PostgreSQL and for the model of histories. */
import { newId } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { EvaluationStore } from "../../control-plane/src/alerting/evaluation/evaluation-store.ts";
import type { InstanceRow } from "../../control-plane/src/alerting/instances/instance-writes.ts";

/** Time within which the transactions of other tests on the server end, ms. */
const UNCHANGED_WITHIN = { timeout: 50_000, interval: 100 };

/** The tables, with one check at one location that has one rule. */
export interface EvaluationStage {
  checkKey: number;
  locationKey: number;
  ruleKey: number;
  teamId: InstanceRow["teamId"];
  /** The clock, Unix ms. */
  nowMs(): number;
  /** Stores failures of the check in one transaction, and does the work before the commit. */
  store(slotsMs: readonly number[], work: (store: EvaluationStore) => Promise<void>): Promise<void>;
  /** Resolves as the work does. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** Begins a transaction that changes the rule, and returns what commits it. */
  beginRuleChange(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Adds the tests of the contract. */
export function describeEvaluationStore(name: string, open: () => Promise<EvaluationStage>): void {
  describe(`the tables of alerts of ${name}`, () => {
    let stage: EvaluationStage;
    let slots = 0;
    beforeAll(async () => {
      stage = await open();
    });
    afterAll(() => stage.close());

    /** Returns the next slots that no test has used, oldest first. */
    const nextSlots = (count: number) =>
      Array.from({ length: count }, () => stage.nowMs() - 3_600_000 + 10_000 * slots++);
    const inTransaction = async <T>(
      work: (store: EvaluationStore) => Promise<T>,
      slotsMs = nextSlots(1),
    ): Promise<T> => {
      let answer: T | undefined;
      await stage.settle(
        stage.store(slotsMs, async (store) => {
          answer = await work(store);
        }),
      );
      return answer as T;
    };
    const newest = async (store: EvaluationStore, limit: number, fromMs = 0) => {
      const { checkKey, locationKey } = stage;
      const rows = await store.readNewestResults([{ checkKey, locationKey, limit, fromMs }], {
        onlySuccesses: false,
        withVitals: false,
        nowMs: stage.nowMs(),
      });
      return rows.map(({ slotMs }) => slotMs);
    };
    const anInstance = (overrides: Partial<InstanceRow> = {}): InstanceRow => ({
      id: newId("alertInstance"),
      teamId: stage.teamId,
      ruleKey: stage.ruleKey,
      checkKey: stage.checkKey,
      state: "active",
      severity: "critical",
      triggeringResultId: null,
      triggeringTraceId: null,
      startedAtMs: stage.nowMs(),
      recoveredAtMs: null,
      recoveryResultId: null,
      wasAnnounced: true,
      mutedBy: null,
      isHeld: false,
      heldAtKeys: [],
      hasUnannouncedEscalation: false,
      context: { summary: "it fails", conditions: [], locations: [] },
      ...overrides,
    });

    it("has the results of the transaction beside the committed ones, newest first, within the bounds", async () => {
      const [first = 0, second = 0, third = 0] = nextSlots(3);
      await inTransaction((store) => newest(store, 1), [first]);
      const seen = await inTransaction(
        async (store) => ({
          two: await newest(store, 2),
          all: await newest(store, 3),
          bounded: await newest(store, 3, second),
        }),
        [third, second],
      );
      expect(seen).toMatchObject({ two: [third, second], bounded: [third, second] });
      expect(seen.all).toEqual([third, second, first]);
    });

    it("lets one transaction judge a check at a time, and the next one sees what it stored", async () => {
      const [a = 0, b = 0] = nextSlots(2);
      const steps: string[] = [];
      let pass = () => {};
      const passed = new Promise<void>((resolve) => {
        pass = resolve;
      });
      let reach = () => {};
      const reached = new Promise<void>((resolve) => {
        reach = resolve;
      });
      const first = stage.store([a], async (store) => {
        await store.lockChecks([stage.checkKey]);
        reach();
        await passed;
        steps.push("first");
      });
      await stage.settle(reached);
      const second = stage.store([b], async (store) => {
        expect(await newest(store, 1)).toEqual([b]);
        expect(await newest(store, 2)).not.toContain(a);
        pass();
        await store.lockChecks([stage.checkKey]);
        steps.push("second");
        expect(await newest(store, 2)).toEqual([b, a]);
      });
      await stage.settle(Promise.all([first, second]));
      expect(steps).toEqual(["first", "second"]);
    });

    it("a rule that is changed by a late commit is read from a horizon that was read while it was open", async () => {
      const changes = (since: string) =>
        inTransaction(async (store) => {
          const { horizon, rules } = await store.readRuleChanges(since, []);
          return { horizon, keys: rules.map(({ key }) => key) };
        });
      // A transaction of anyone else on the server that began before the rule's last change holds the horizon back.
      const untilUnchanged = () =>
        vi.waitFor(async () => {
          const { horizon } = await changes("0");
          expect((await changes(horizon)).keys).toEqual([]);
        }, UNCHANGED_WITHIN);
      expect((await changes("0")).keys).toContain(stage.ruleKey);
      await untilUnchanged();
      const commit = await stage.beginRuleChange();
      const { horizon } = await changes("0");
      const before = (await changes(horizon)).keys;
      await commit();
      expect({ before, after: (await changes(horizon)).keys }).toEqual({
        before: [],
        after: [stage.ruleKey],
      });
      await untilUnchanged();
    }, 120_000);

    it("knows a check with its open instance until that has recovered", async () => {
      const known = () =>
        inTransaction(async (store) => {
          const { checksInProgress } = await store.readRuleChanges("0", [stage.checkKey]);
          const [judged] = await store.readChecksToJudge([stage.checkKey]);
          return {
            checksInProgress,
            open: judged?.open.map(({ id, wasAnnounced }) => ({ id, wasAnnounced })),
          };
        });
      const instance = anInstance();
      expect(await known()).toEqual({ checksInProgress: [], open: [] });
      await inTransaction((store) => store.insertInstances([instance]));
      const open = [{ id: instance.id, wasAnnounced: true }];
      expect(await known()).toEqual({ checksInProgress: [stage.checkKey], open });
      await inTransaction((store) =>
        store.updateInstances([{ ...instance, state: "recovered", recoveredAtMs: stage.nowMs() }]),
      );
      expect(await known()).toEqual({ checksInProgress: [], open: [] });
    });

    it("keeps nothing of a savepoint that fails, and goes on", async () => {
      const lost = anInstance();
      const slotsMs = nextSlots(1);
      await inTransaction(async (store) => {
        const failing = store.savepoint(async (inner) => {
          await inner.insertInstances([lost]);
          throw new Error("a fault of ours");
        });
        await expect(failing).rejects.toThrow("a fault of ours");
      }, slotsMs);
      const after = await inTransaction(async (store) => ({
        slots: await newest(store, 100),
        open: (await store.readChecksToJudge([stage.checkKey]))[0]?.open,
      }));
      expect(after.slots).toContain(slotsMs[0]);
      expect(after.open).toEqual([]);
    });
  });
}
