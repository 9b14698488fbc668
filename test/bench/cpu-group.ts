/**
 * A control group that a program and all that it starts run in: its CPU time counts also what has ended, however it
 * ended.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import { type RunningProcess, startProgram } from "../harness/process.ts";

const ROOT = "/sys/fs/cgroup";

export class CpuGroup {
  readonly #folder: string;
  readonly #isV2: boolean;

  /** @throws where no group can be made: run the benchmark as root */
  constructor(name: string) {
    this.#isV2 = existsSync(join(ROOT, "cgroup.controllers"));
    this.#folder = join(ROOT, this.#isV2 ? "" : "cpuacct", `svc-bench-${process.pid}-${name}`);
    mkdirSync(this.#folder);
  }

  /** User and system time so far, ms. */
  get cpuMs(): number {
    if (!this.#isV2) return Number(readFileSync(join(this.#folder, "cpuacct.usage"), "utf8")) / 1e6;
    const stat = readFileSync(join(this.#folder, "cpu.stat"), "utf8");
    return Number(/^usage_usec (\d+)$/m.exec(stat)?.[1]) / 1000;
  }

  get processes(): number {
    return readFileSync(join(this.#folder, "cgroup.procs"), "utf8").trim().split("\n").filter(Boolean).length;
  }

  /** Starts a program in the group. */
  start(command: readonly string[], environment: Record<string, string> = {}): RunningProcess {
    const enter = `echo $$ > '${this.#folder}/cgroup.procs' && exec "$@"`;
    return startProgram("/bin/sh", ["-c", enter, "sh", ...command], environment);
  }

  /** Removes the group, whose processes must have ended. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}
