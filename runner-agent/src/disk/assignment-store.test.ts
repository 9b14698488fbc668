import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aCheck, anAssignment } from "../../test-support/builders.ts";
import { AssignmentStore } from "./assignment-store.ts";
import { openDatabase, type SpoolDatabase } from "./database.ts";

const KEY = `rk_${"a".repeat(64)}`;
const OTHER_KEY = `rk_${"b".repeat(64)}`;

describe("the stored assignment", () => {
  let folder: string;
  let database: SpoolDatabase;
  const fail = (error: Error) => {
    throw error;
  };
  const aStore = (key = KEY) => new AssignmentStore(database, key, fail);
  /** Reads with a store of its own, like an agent after its restart. */
  const stored = (key = KEY) => {
    const snapshot = aStore(key).load();
    return snapshot?.assignments
      .map(({ checkKey, locationKey }) => `${checkKey}@${locationKey}`)
      .sort()
      .join(" ");
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "svc-store-"));
    database = openDatabase(folder, Date.now, (_path, error) => fail(error));
  });
  afterEach(async () => {
    await database.root.close();
    rmSync(folder, { recursive: true });
  });

  it("is there after a restart, without the slots that were done then", async () => {
    const store = aStore();
    const check = aCheck({ configJson: '{"url":"http://127.0.0.1/","body":"secret"}' });
    store.replace({ checks: [check], assignments: [anAssignment({ staggerMs: 7, doneSlotsMs: [1] })] });
    await store.flush();
    expect(aStore().load()).toEqual({
      checks: [check],
      assignments: [anAssignment({ staggerMs: 7, doneSlotsMs: [] })],
    });
  });

  it("follows changes and removals", async () => {
    const store = aStore();
    store.replace({
      checks: [aCheck({ checkKey: 1 }), aCheck({ checkKey: 2 })],
      assignments: [
        anAssignment({ checkKey: 1 }),
        anAssignment({ checkKey: 1, locationKey: 2 }),
        anAssignment({ checkKey: 2 }),
      ],
    });
    store.change({
      checks: [aCheck({ checkKey: 3 })],
      assignments: [anAssignment({ checkKey: 3 })],
      unassignments: [
        { checkKey: 1, locationKey: 1 },
        { checkKey: 2, locationKey: 1 },
        { checkKey: 9, locationKey: 1 },
      ],
    });
    await store.flush();
    expect(stored()).toBe("1@2 3@1");
  });

  it("is replaced by a snapshot, also after a restart", async () => {
    const first = aStore();
    first.replace({ checks: [aCheck({ checkKey: 1 })], assignments: [anAssignment({ checkKey: 1 })] });
    await first.flush();
    const second = aStore();
    second.replace({ checks: [aCheck({ checkKey: 2 })], assignments: [anAssignment({ checkKey: 2 })] });
    await second.flush();
    expect(stored()).toBe("2@1");
  });

  it("can't be read with another key, and holds no plain text", async () => {
    const store = aStore();
    const check = aCheck({ configJson: '{"url":"http://127.0.0.1/","body":"a secret in the body"}' });
    store.replace({ checks: [check], assignments: [anAssignment()] });
    store.rememberSession({ clockOffsetMs: 1, isHosted: true, graceMs: 2 });
    await store.flush();
    await database.meta.flushed;
    expect(stored(OTHER_KEY)).toBeUndefined();
    expect(aStore(OTHER_KEY).recallSession()).toBeUndefined();
    expect(aStore().recallSession()).toEqual({ clockOffsetMs: 1, isHosted: true, graceMs: 2 });
    expect(readFileSync(join(folder, "spool.mdb")).includes("a secret in the body")).toBe(false);
  });

  it("holds thousands of checks", async () => {
    const store = aStore();
    const keys = Array.from({ length: 2000 }, (_, index) => index + 1);
    store.replace({
      checks: keys.map((checkKey) => aCheck({ checkKey })),
      assignments: keys.map((checkKey) => anAssignment({ checkKey })),
    });
    await store.flush();
    expect(aStore().load()?.checks).toHaveLength(2000);
  });
});
