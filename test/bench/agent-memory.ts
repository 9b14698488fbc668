/**
 * Memory of an agent that holds 10,000 checks and has run each of them, beside one with 10 checks and two floors: bare Node, and Node
 * with the probes' modules, the same checks as plain objects and a timer for each, its garbage collected.
 */
import { readFileSync } from "node:fs";
import { bundleForChild } from "../../runner-agent/test-support/bundle.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { type RunningProcess, startNode } from "../harness/process.ts";
import { until } from "../harness/wait.ts";
import { benchChecks, withAgent } from "./agent.ts";
import { printTable, rssMiB } from "./measure.ts";
import { startTargetProcess } from "./target-process.ts";

const CHECKS = 10_000;
const FREQUENCY_SECONDS = 60;

interface Memory {
  rssMiB: number;
  /** Part of it that is no page of a file. */
  anonymousMiB: number;
}

export async function agentMemoryBench(): Promise<void> {
  const folder = temporaryFolder();
  const target = await startTargetProcess(folder.path);
  const rows: [string, Memory][] = [];
  try {
    rows.push(["bare Node", await floorOf("")]);
    rows.push([
      `Node, the probes' modules, ${CHECKS} plain checks and timers`,
      await floorOf(plainChecks(target.httpUrl)),
    ]);
    rows.push(["agent with 10 checks", await agentMemory(10, 1, target.httpUrl)]);
    rows.push([`agent with ${CHECKS} checks`, await agentMemory(CHECKS, FREQUENCY_SECONDS, target.httpUrl)]);
  } finally {
    await target.process.stop();
    folder.remove();
  }
  printTable(
    rows.map(([name, memory]) => ({
      "": name,
      "RSS MiB": memory.rssMiB,
      "of them no file's": memory.anonymousMiB,
      "beyond bare Node": memory.rssMiB - (rows[0]?.[1].rssMiB ?? 0),
    })),
  );
  console.log(`Node ${process.version}`);
}

async function agentMemory(count: number, frequencySeconds: number, url: string): Promise<Memory> {
  return withAgent(benchChecks(count, frequencySeconds, url), {}, async (controlPlane, pid) => {
    await until("every check ran once", () => controlPlane.results >= count, { withinMs: 120_000 });
    return memoryOf(pid);
  });
}

/** Source of a program that holds what every prober in Node has to hold. */
function plainChecks(url: string): string {
  return `
    import { checkProbes } from "@svc/probes";
    const held = Array.from({ length: ${CHECKS} }, (_, i) => {
      const check = {
        checkKey: i,
        checkId: "chk_" + String(i).padStart(26, "0"),
        name: "check " + i,
        type: "http",
        configJson: JSON.stringify({ url: ${JSON.stringify(url)}, timeoutMs: 10000, n: i }),
        frequencySeconds: ${FREQUENCY_SECONDS},
        phaseMs: i,
        revision: 1,
        retryJson: "",
      };
      return { check, timer: setTimeout(() => console.log(check.name), 3_600_000) };
    });
    globalThis.held = [held, checkProbes];
  `;
}

/** Memory of a Node process that runs the source, once its garbage is collected. */
async function floorOf(source: string): Promise<Memory> {
  const ready = `globalThis.gc(); setTimeout(() => { globalThis.gc(); console.log("ready"); }, 500); setInterval(() => {}, 60_000);`;
  const bundle = await bundleForChild("memory-floor", `${source}\n${ready}`);
  let child: RunningProcess | undefined;
  try {
    const started = startNode(["--expose-gc", bundle.path], {});
    child = started;
    await until("the program is ready", () => {
      if (started.hasEnded()) throw new Error(started.output());
      return started.output().includes("ready");
    });
    return memoryOf(started.pid);
  } finally {
    await child?.kill9();
    bundle.remove();
  }
}

function memoryOf(pid: number): Memory {
  const [, kilobytes] = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return { rssMiB: rssMiB(pid), anonymousMiB: Number(kilobytes) / 1024 };
}
