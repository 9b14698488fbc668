/** The agent's stored assignment, in LMDB and in the model of histories. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AssignmentStore } from "../../runner-agent/src/disk/assignment-store.ts";
import { openDatabase } from "../../runner-agent/src/disk/database.ts";
import { AgentDisk } from "./agent-disk.ts";
import { describeAssignmentStore } from "./assignment-store.contract.ts";
import { Random } from "./random.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedProcess } from "./simulated-process.ts";

/** Time within which the model has written a change, ms. */
const WRITTEN_WITHIN_MS = 1_000;
const fail = (error: Error) => {
  throw error;
};

describeAssignmentStore("a history", async () => {
  const scheduler = new Scheduler(new Random(1));
  const disk = new AgentDisk(new Random(2));
  let process = new SimulatedProcess(scheduler, "agent");
  return {
    store: disk.assignmentsFor(process),
    flush: () => scheduler.runUntil(scheduler.nowMs + WRITTEN_WITHIN_MS),
    reopen: async () => {
      process.kill();
      process = new SimulatedProcess(scheduler, "agent");
      return disk.assignmentsFor(process);
    },
    close: async () => undefined,
  };
});

describeAssignmentStore("LMDB", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-assignments-"));
  const open = () => openDatabase(folder, Date.now, (_path, error) => fail(error));
  const storeIn = (opened: ReturnType<typeof open>) =>
    new AssignmentStore(opened, `rk_${"a".repeat(64)}`, fail);
  let database = open();
  let newest = storeIn(database);
  return {
    store: newest,
    flush: () => newest.flush(),
    reopen: async () => {
      // Within one process LMDB opens a file once; every write of it was synced before it resolved.
      await database.root.close();
      database = open();
      newest = storeIn(database);
      return newest;
    },
    close: async () => {
      await database.root.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
