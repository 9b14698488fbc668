/**
 * Measures the cost of a team's export at ingest: equal results with export off, with an endpoint that takes everything
 * (they leave at the same time), and with one that is away (they are listed and wait). In turns, as the machine's mood
 * changes.
 */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type ControlPlane, startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { sendResults } from "./bench-agent.ts";
import { type BenchDatabase, createLoad, openBenchDatabase } from "./bench-database.ts";
import { cpuMs, median, printTable } from "./measure.ts";

const CHECKS = 5_000;
const RESULTS = 25_000;
const ROUNDS = 3;
const SLOTS_MS = (RESULTS / CHECKS) * 10_000;
const MODES = ["off", "on, exported at the same time", "on, endpoint away"] as const;

export async function telemetryIngestBench(): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({
    dataDir: folder.path,
    environment: { SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
  });
  let statusCode = 200;
  const sink = http.createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(statusCode).end());
  });
  sink.listen(0, "127.0.0.1");
  await once(sink, "listening");
  try {
    const database = await openBenchDatabase(folder.path);
    const load = await createLoad(controlPlane, database, CHECKS);
    const endpoint = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
    const figures = new Map<string, Figures[]>(MODES.map((mode) => [mode, []]));
    let newestSlotMs = Date.now();
    await measure(controlPlane, database, load, newestSlotMs);
    for (let round = 0; round < ROUNDS; round++)
      for (const mode of MODES) {
        statusCode = mode === "on, endpoint away" ? 503 : 200;
        await controlPlane.ok("PUT", "/api/telemetry", { endpoint, enabled: mode !== "off" });
        // Ingest reads every second which teams export.
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        newestSlotMs -= SLOTS_MS;
        figures.get(mode)?.push(await measure(controlPlane, database, load, newestSlotMs));
      }
    printTable(
      [...figures].map(([mode, of]) => ({
        export: mode,
        "results/s": median(of.map(({ perSecond }) => perSecond)),
        "control plane CPU-us": median(of.map(({ planeUs }) => planeUs)),
        "PostgreSQL CPU-us": median(of.map(({ databaseUs }) => databaseUs)),
      })),
    );
    await database.close();
  } finally {
    await controlPlane.process.stop();
    sink.close();
    folder.remove();
  }
}

interface Figures {
  perSecond: number;
  /** Of a result. */
  planeUs: number;
  databaseUs: number;
}

let runners = 0;

async function measure(
  { process: { pid }, runnerPort }: ControlPlane,
  database: BenchDatabase,
  { runnerKey, checks, locationKey }: Awaited<ReturnType<typeof createLoad>>,
  newestSlotMs: number,
): Promise<Figures> {
  const runnerUuid = `00000000-0000-4000-8000-${String(runners++).padStart(12, "0")}`;
  const [plane, postgres, startMs] = [cpuMs(pid), database.cpuMs(), performance.now()];
  const runner = { port: runnerPort, runnerKey, runnerUuid };
  const rejected = await sendResults(runner, checks, locationKey, newestSlotMs, RESULTS);
  if (rejected > 0) throw new Error(`${rejected} results were rejected`);
  return {
    perSecond: RESULTS / ((performance.now() - startMs) / 1000),
    planeUs: ((cpuMs(pid) - plane) * 1000) / RESULTS,
    databaseUs: ((database.cpuMs() - postgres) * 1000) / RESULTS,
  };
}
