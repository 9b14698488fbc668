/** The spool's table, in LMDB and in the model of histories. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../runner-agent/src/disk/database.ts";
import { lmdbResultTable } from "../../runner-agent/src/spool/result-table.ts";
import { AgentDisk } from "./agent-disk.ts";
import { drive } from "./drive.ts";
import { Random } from "./random.ts";
import { describeResultTable } from "./result-table.contract.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedProcess } from "./simulated-process.ts";

describeResultTable("a history", async () => {
  const scheduler = new Scheduler(new Random(1));
  const disk = new AgentDisk(new Random(2));
  const process = new SimulatedProcess(scheduler, "agent");
  return {
    table: disk.tableFor(process),
    settle: (work) => drive(scheduler, work),
    reopen: async () => {
      process.kill();
      return disk.tableFor(new SimulatedProcess(scheduler, "agent"));
    },
    close: async () => undefined,
  };
});

describeResultTable("LMDB", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-result-table-"));
  const open = () =>
    openDatabase(
      folder,
      () => Date.now(),
      (path) => {
        throw new Error(`the database was moved to ${path}`);
      },
    );
  let database = open();
  return {
    table: lmdbResultTable(database),
    settle: (work) => work,
    reopen: async () => {
      // Within one process LMDB opens a file once; every write of it was synced before it resolved.
      await database.root.close();
      database = open();
      return lmdbResultTable(database);
    },
    close: async () => {
      await database.root.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
