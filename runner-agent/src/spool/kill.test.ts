import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleForChild } from "../../test-support/bundle.ts";
import { openDatabase } from "../disk/database.ts";
import { lmdbResultTable } from "./result-table.ts";
import { Spool } from "./spool.ts";

/** Appends results as fast as it can and prints the number of each once it is durable. */
const WRITER = `
import { openDatabase } from "./disk/database.ts";
import { lmdbResultTable } from "./spool/result-table.ts";
import { Spool } from "./spool/spool.ts";
import { aRecord } from "../test-support/builders.ts";

const database = openDatabase(process.argv[2], Date.now, () => process.exit(3));
let appended = 0;
let durable = 0;
const spool = new Spool({
  table: lmdbResultTable(database),
  bytesMax: 2 ** 30,
  setTimer: (callback, delayMs) => { const t = setTimeout(callback, delayMs); return () => clearTimeout(t); },
  onReadable: (count) => { durable += count; process.stdout.write(durable + "\\n"); },
  onDropped: () => process.exit(4),
  onHealth: () => process.exit(5),
});
setInterval(() => { for (let i = 0; i < 50; i++) spool.append(aRecord({ slotMs: ++appended })); }, 1);
`;

describe("a process killed in the middle of writing", () => {
  let folder: string;
  let writer: Awaited<ReturnType<typeof bundleForChild>>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "svc-kill-"));
    writer = await bundleForChild("writer", WRITER);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
    writer.remove();
  });

  it("leaves every result that was durable, without a hole, and a spool that goes on", async () => {
    let durable = 0;
    for (let round = 1; round <= 3; round++) {
      const child = spawn(process.execPath, [writer.path, folder], { stdio: ["ignore", "pipe", "inherit"] });
      const before = durable;
      const exited = new Promise<NodeJS.Signals | null>((resolve) =>
        child.once("exit", (_code, signal) => resolve(signal)),
      );
      for await (const line of createInterface({ input: child.stdout })) {
        durable = before + Number(line);
        if (durable - before > 500) child.kill("SIGKILL");
      }
      expect(await exited).toBe("SIGKILL");
      durable = await countAndCheck(folder, durable);
    }
  });
});

/** The number of results in the folder, each round's slots being 1, 2, 3 ... without a hole. */
async function countAndCheck(folder: string, atLeast: number): Promise<number> {
  const database = openDatabase(folder, Date.now, () => {
    throw new Error("the killed process left a spool that can't be opened");
  });
  const spool = new Spool({
    table: lmdbResultTable(database),
    bytesMax: 2 ** 30,
    setTimer: () => () => {},
    onReadable: () => {},
    onDropped: () => {},
    onHealth: () => {},
  });
  const found = spool.read(0, 1_000_000, 2 ** 40);
  await database.root.close();
  expect(found.length).toBeGreaterThanOrEqual(atLeast);
  found.forEach(({ sequence, record }, index) => {
    expect(sequence).toBe(index + 1);
    const previous = found[index - 1]?.record.slotMs ?? 0;
    expect([previous + 1, 1]).toContain(record.slotMs);
  });
  return found.length;
}
