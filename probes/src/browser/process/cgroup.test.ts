import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Cgroup } from "./cgroup.ts";

const LIMITS = { memoryBytesMax: 805_306_368, processesMax: 150 };
/** CPU time of a group in a period of 100 ms, us. */
const QUOTA_US = Math.ceil(Math.max(1, availableParallelism() * 0.75) * 100_000);

/** A folder in place of the kernel's, with these files, for a process in the group `own`. */
function aSystem(files: readonly string[], own = "/svc.slice/agent.service/main") {
  const root = mkdtempSync(join(tmpdir(), "svc-cgroup-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(join(root, file, ".."), { recursive: true });
    writeFileSync(join(root, file), "");
  }
  const ownGroupFile = join(root, "own-group");
  writeFileSync(ownGroupFile, `0::${own}\n`);
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  return { system: { root, ownGroupFile }, read };
}

it("version 2: memory, processes and CPU time are limited in a group beside the agent's own", () => {
  const { system, read } = aSystem(["cgroup.controllers", "svc.slice/agent.service/main/cgroup.procs"]);
  const group = Cgroup.create("box", LIMITS, system);
  const box = "svc.slice/agent.service/box";
  expect(group?.folders).toEqual([join(system.root, box)]);
  expect(read(`${box}/memory.max`)).toBe("805306368");
  expect(read(`${box}/pids.max`)).toBe("150");
  expect(read(`${box}/cpu.weight`)).toBe("25");
  expect(read(`${box}/cpu.max`)).toBe(`${QUOTA_US} 100000`);
  expect(read("svc.slice/agent.service/cgroup.subtree_control")).toBe("+cpu");
});

it("version 2: no group is made from the root, which has none beside it, nor where the agent may not write", () => {
  const inRoot = aSystem(["cgroup.controllers"], "/");
  expect(Cgroup.create("box", LIMITS, inRoot.system)).toBeUndefined();
  const elsewhere = aSystem(["cgroup.controllers"], "/not/there");
  expect(Cgroup.create("box", LIMITS, elsewhere.system)).toBeUndefined();
});

it("version 1: each controller has a folder of the group", () => {
  const { system, read } = aSystem(["memory/tasks", "pids/tasks", "cpu/tasks"]);
  const group = Cgroup.create("box", LIMITS, system);
  expect(group?.folders).toEqual(
    ["memory", "pids", "cpu"].map((controller) => join(system.root, controller, "box")),
  );
  expect(read("memory/box/memory.limit_in_bytes")).toBe("805306368");
  expect(read("pids/box/pids.max")).toBe("150");
  expect(read("cpu/box/cpu.shares")).toBe("256");
  expect(read("cpu/box/cpu.cfs_period_us")).toBe("100000");
  expect(read("cpu/box/cpu.cfs_quota_us")).toBe(String(QUOTA_US));
});

it("version 1: without the CPU controller there is a group of the others", () => {
  const { system } = aSystem(["memory/tasks", "pids/tasks"]);
  expect(Cgroup.create("box", LIMITS, system)?.folders).toHaveLength(2);
});
