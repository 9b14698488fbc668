/** Measures how late slots start: 10,000 checks at 60 s on one agent, against a target on loopback. */
import { setTimeout as delay } from "node:timers/promises";
import { temporaryFolder } from "../harness/folders.ts";
import { until } from "../harness/wait.ts";
import { benchChecks, withAgent } from "./agent.ts";
import { cpuMs, printTable, quantile } from "./measure.ts";
import { startTargetProcess } from "./target-process.ts";

const OBSERVED_MS = 60_000;

export async function latenessBench(): Promise<void> {
  const folder = temporaryFolder();
  const target = await startTargetProcess(folder.path);
  const lateMs: number[] = [];
  let cpuShare = 0;
  try {
    await withAgent(benchChecks(10_000, 60, target.httpUrl), {}, async (controlPlane, pid) => {
      await until("the agent is warm", () => controlPlane.results > 1000, { withinMs: 60_000 });
      controlPlane.onBatch = (batch) => {
        for (const startDelayMs of batch.startDelaysMs) lateMs.push(startDelayMs);
      };
      const before = cpuMs(pid);
      await delay(OBSERVED_MS);
      cpuShare = (cpuMs(pid) - before) / OBSERVED_MS;
    });
  } finally {
    await target.process.stop();
    folder.remove();
  }
  lateMs.sort((a, b) => a - b);
  console.log("\nstart of a run after its slot, 10,000 checks at 60 s");
  printTable([
    {
      runs: lateMs.length,
      "late p50 ms": quantile(lateMs, 0.5),
      "late p99 ms": quantile(lateMs, 0.99),
      "late max ms": lateMs.at(-1) ?? 0,
      "agent CPU share": cpuShare,
    },
  ]);
}
