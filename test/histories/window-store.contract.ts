/** What the jobs of maintenance windows rely on of their tables. It holds for PostgreSQL and for the model of histories. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { MuteStore } from "../../control-plane/src/alerting/instances/mute-store.ts";
import type { WindowSwitchStore } from "../../control-plane/src/checks/maintenance/switch-store.ts";

/** The tables, with two checks, of which the first has a rule. */
export interface WindowStage {
  windows: WindowSwitchStore;
  mutes: MuteStore;
  /** Keys of the checks, in ascending order. */
  checkKeys: readonly [number, number];
  /** The clock, Unix ms. */
  nowMs(): number;
  /** Resolves as the work does. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** Writes a window of the checks, or of all of the team, that lasts from one instant until before another. */
  addWindow(window: {
    mode: "pause" | "continue";
    checkKeys: number[] | null;
    fromMs: number;
    untilMs: number;
  }): Promise<void>;
  /** Removes all windows. */
  removeWindows(): Promise<void>;
  /** Returns the enabled times of a check's schedule, oldest first. */
  schedule(checkKey: number): Promise<{ enabled: boolean; fromMs: number; untilMs: number | null }[]>;
  /** Opens an alert of the first check that a window mutes. Returns its id. */
  addMutedAlert(): Promise<string>;
  /** Returns the kinds of the notifications about the alert. */
  notifications(instanceId: string): Promise<string[]>;
  close(): Promise<void>;
}

/** Adds the tests of the contract. */
export function describeWindowStore(name: string, open: () => Promise<WindowStage>): void {
  describe(`the tables of maintenance windows of ${name}`, () => {
    let stage: WindowStage;
    beforeAll(async () => {
      stage = await open();
    });
    beforeEach(() => stage.removeWindows());
    afterAll(() => stage.close());

    const toPause = (nowMs: number, limit = 10) =>
      stage.settle(stage.windows.findChecksToPause(nowMs, limit));
    const toResume = (nowMs: number) => stage.settle(stage.windows.findChecksToResume(nowMs, 10));
    const setPaused = (keys: readonly number[], paused: boolean, nowMs: number) =>
      stage.settle(stage.windows.setPaused({ keys, paused, nowMs }));

    it("a window in pause mode holds its checks from its start until before its end", async () => {
      const [first, second] = stage.checkKeys;
      const [fromMs, untilMs] = [stage.nowMs() + 1_000, stage.nowMs() + 2_000];
      await stage.addWindow({ mode: "pause", checkKeys: [first], fromMs, untilMs });
      await stage.addWindow({ mode: "continue", checkKeys: [second], fromMs, untilMs });
      const at = [fromMs - 1, fromMs, untilMs - 1, untilMs];
      const found = [];
      for (const atMs of at) found.push(await toPause(atMs));
      expect(found).toEqual([[], [first], [first], []]);
    });

    it("a window of all checks holds each, as many as are asked for at once", async () => {
      const [fromMs, untilMs] = [stage.nowMs() - 1_000, stage.nowMs() + 60_000];
      await stage.addWindow({ mode: "pause", checkKeys: null, fromMs, untilMs });
      expect(await toPause(stage.nowMs())).toEqual([...stage.checkKeys]);
      expect(await toPause(stage.nowMs(), 1)).toEqual([stage.checkKeys[0]]);
    });

    it("pausing and resuming begins a schedule each, twice changes nothing", async () => {
      const [key] = stage.checkKeys;
      const pausedMs = stage.nowMs() + 10_000;
      const resumedMs = pausedMs + 5_000;
      const before = await stage.schedule(key);
      await setPaused([key], true, pausedMs);
      expect(await toResume(pausedMs)).toEqual([key]);
      await stage.addWindow({ mode: "pause", checkKeys: [key], fromMs: pausedMs, untilMs: resumedMs });
      expect(await toResume(pausedMs)).toEqual([]);
      expect(await toPause(pausedMs)).toEqual([]);
      await setPaused([key], true, pausedMs + 1_000);
      expect(await toResume(resumedMs)).toEqual([key]);
      await setPaused([key], false, resumedMs);
      await setPaused([key], false, resumedMs + 1_000);
      const [current] = before.slice(-1);
      expect((await stage.schedule(key)).slice(before.length - 1)).toEqual([
        { ...current, untilMs: pausedMs },
        { enabled: false, fromMs: pausedMs, untilMs: resumedMs },
        { enabled: true, fromMs: resumedMs, untilMs: null },
      ]);
    });

    it("a muted alert is read until its mute is lifted, which notifies at the commit, or not at all", async () => {
      const id = await stage.addMutedAlert();
      const muted = async () => {
        const rows = await stage.settle(
          stage.mutes.readMutedInstances({ nowMs: stage.nowMs(), afterId: "", limit: 10 }),
        );
        return rows.find((row) => row.id === id);
      };
      const instance = await muted();
      expect(instance).toMatchObject({
        mutedBy: "window",
        wasAnnounced: false,
        checkKey: stage.checkKeys[0],
      });
      if (!instance) throw new Error("there is no muted alert");
      const lift = (fails: boolean) =>
        stage.settle(
          stage.mutes.transaction(async (trx) => {
            await trx.lockSubjects([instance]);
            expect(await trx.findInstance(instance.teamId, instance.id)).toMatchObject({
              id,
              state: "active",
            });
            await trx.changeInstance({
              instance,
              patch: { mutedBy: null, mutedUntil: null, wasAnnounced: true, hasUnannouncedEscalation: false },
              event: { type: "unmuted", actorId: null },
              atMs: stage.nowMs(),
            });
            await trx.notifyChannels({ instance, kind: "triggered", atMs: stage.nowMs() });
            if (fails) throw new Error("a fault of ours");
          }),
        );
      await expect(lift(true)).rejects.toThrow("a fault of ours");
      expect([await stage.notifications(id), (await muted())?.wasAnnounced]).toEqual([[], false]);
      await lift(false);
      expect([await stage.notifications(id), await muted()]).toEqual([["triggered"], undefined]);
    });

    it("a window of either mode mutes the alerts of its checks", async () => {
      const [first] = stage.checkKeys;
      const nowMs = stage.nowMs();
      const [fromMs, untilMs] = [nowMs, nowMs + 1_000];
      const { teamId, checkId } = await anAlert();
      const isHeld = async (atMs: number) =>
        (await stage.settle(stage.mutes.findChecksInMaintenance([{ teamId, checkId }], atMs))).has(checkId);
      expect(await isHeld(nowMs)).toBe(false);
      for (const mode of ["pause", "continue"] as const) {
        await stage.removeWindows();
        await stage.addWindow({ mode, checkKeys: [first], fromMs, untilMs });
        expect([await isHeld(nowMs - 1), await isHeld(nowMs), await isHeld(untilMs)]).toEqual([
          false,
          true,
          false,
        ]);
      }
    });

    async function anAlert() {
      const id = await stage.addMutedAlert();
      const rows = await stage.settle(
        stage.mutes.readMutedInstances({ nowMs: stage.nowMs(), afterId: "", limit: 10 }),
      );
      const { teamId, checkId } = rows.find((row) => row.id === id) ?? {};
      if (!teamId || !checkId) throw new Error("there is no muted alert of a check");
      return { teamId, checkId };
    }
  });
}
