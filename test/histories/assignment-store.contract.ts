/** What an agent relies on of its stored assignment. It holds for LMDB and for the model of histories, so that neither drifts. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AssignmentStore } from "../../runner-agent/src/disk/assignment-store.ts";
import type { CheckLocation } from "../../runner-agent/src/model/assignment.ts";
import { aCheck, anAssignment } from "../../runner-agent/test-support/builders.ts";

/** The parts of the store that the agent's intake uses. */
type StoredAssignment = Pick<AssignmentStore, "replace" | "change" | "load">;

/** A stored assignment, and the ways to wait for it and to lose its process. */
export interface AssignmentStage {
  store: StoredAssignment;
  /** Resolves when every change is on the disk. */
  flush(): Promise<void>;
  /** Ends the process, and opens the store that it leaves. */
  reopen(): Promise<StoredAssignment>;
  close(): Promise<void>;
}

/** Adds the tests of the contract. */
export function describeAssignmentStore(name: string, open: () => Promise<AssignmentStage>): void {
  describe(`the stored assignment of ${name}`, () => {
    let stage: AssignmentStage;
    beforeEach(async () => {
      stage = await open();
    });
    afterEach(() => stage.close());

    const at = (checkKey: number, locationKey = 1): CheckLocation => ({ checkKey, locationKey });
    /** Returns a change that assigns these check locations, with their checks. */
    const assigned = (...locations: CheckLocation[]) => ({
      checks: [...new Set(locations.map(({ checkKey }) => checkKey))].map((checkKey) => aCheck({ checkKey })),
      assignments: locations.map((location) => anAssignment(location)),
      unassignments: [] as CheckLocation[],
    });
    /** Returns the stored check locations as `check@location`, and the revision of each check. */
    const read = (store: StoredAssignment) => {
      const snapshot = store.load();
      return (
        snapshot && {
          checks: Object.fromEntries(snapshot.checks.map(({ checkKey, revision }) => [checkKey, revision])),
          locations: snapshot.assignments.map((one) => `${one.checkKey}@${one.locationKey}`).sort(),
        }
      );
    };
    const { revision } = aCheck();

    it("is nothing at first", () => {
      expect(stage.store.load()).toBeUndefined();
    });

    it("is there for the next process, whole, but for the slots that were done", async () => {
      const check = aCheck({ checkKey: 3, configJson: '{"url":"http://target.example/"}' });
      const assignment = anAssignment({ checkKey: 3, staggerMs: 7, effectiveFromMs: 11, doneSlotsMs: [1] });
      stage.store.replace({ checks: [check], assignments: [assignment] });
      await stage.flush();
      const whole = { checks: [check], assignments: [{ ...assignment, doneSlotsMs: [] }] };
      expect(stage.store.load()).toEqual(whole);
      expect((await stage.reopen()).load()).toEqual(whole);
    });

    it("shows nothing of a change that is not on the disk yet", async () => {
      stage.store.change(assigned(at(1)));
      expect(stage.store.load()).toBeUndefined();
      await stage.flush();
      expect(read(stage.store)?.locations).toEqual(["1@1"]);
    });

    it("adds, replaces and removes check locations, and a check with its last one", async () => {
      stage.store.change(assigned(at(1), at(1, 2), at(2)));
      await stage.flush();
      stage.store.change({
        ...assigned(at(3)),
        unassignments: [at(1, 2), at(2), at(9)],
      });
      stage.store.change({
        checks: [],
        assignments: [anAssignment({ ...at(1), staggerMs: 5 })],
        unassignments: [],
      });
      await stage.flush();
      expect(read(stage.store)).toEqual({
        checks: { 1: revision, 3: revision },
        locations: ["1@1", "3@1"],
      });
      expect(stage.store.load()?.assignments.find(({ checkKey }) => checkKey === 1)?.staggerMs).toBe(5);
    });

    it("keeps the locations of a check that changes", async () => {
      stage.store.change(assigned(at(1), at(1, 2)));
      await stage.flush();
      stage.store.change({
        checks: [aCheck({ checkKey: 1, revision: revision + 1 })],
        assignments: [],
        unassignments: [],
      });
      await stage.flush();
      expect(read(await stage.reopen())).toEqual({
        checks: { 1: revision + 1 },
        locations: ["1@1", "1@2"],
      });
    });

    it("stores no location of a check that it does not know", async () => {
      stage.store.change(assigned(at(1)));
      stage.store.change({ checks: [], assignments: [anAssignment(at(2))], unassignments: [] });
      await stage.flush();
      expect(read(stage.store)?.locations).toEqual(["1@1"]);
    });

    it("is what a snapshot says and nothing of before, of the process before too", async () => {
      stage.store.change(assigned(at(1), at(2)));
      await stage.flush();
      const reopened = await stage.reopen();
      reopened.replace(assigned(at(2, 2), at(4)));
      await stage.flush();
      expect(read(reopened)).toEqual({ checks: { 2: revision, 4: revision }, locations: ["2@2", "4@1"] });
      reopened.replace({ checks: [], assignments: [] });
      await stage.flush();
      expect(reopened.load()).toBeUndefined();
    });
  });
}
