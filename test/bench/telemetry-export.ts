/** Export of a backlog: 100,000 results that wait for an endpoint, over each protocol that is HTTP. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { type ControlPlane, startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { type BenchDatabase, createLoad, fillResults, openBenchDatabase } from "./bench-database.ts";
import { cpuMs, printTable, rssMiB } from "./measure.ts";

const CHECKS = 1_000;
const RESULTS = 100_000;
const POLL_MS = 250;

export async function telemetryExportBench(): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({
    dataDir: folder.path,
    environment: { SVC_EGRESS_PRIVATE: "allow", SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
  });
  const sink = await startSink();
  try {
    const database = await openBenchDatabase(folder.path);
    const { locationKey, checks } = await createLoad(controlPlane, database, CHECKS);
    await fillResults(database, checks, locationKey, Date.now(), { count: RESULTS, order: "by slot" });
    const rows = [];
    for (const protocol of ["http/protobuf", "http/json"]) {
      await controlPlane.ok("PUT", "/api/telemetry", { endpoint: sink.url, protocol, enabled: false });
      await controlPlane.ok("PUT", "/api/telemetry", { enabled: true });
      rows.push({ protocol, ...(await drain(controlPlane, database)) });
    }
    printTable(rows);
    await database.close();
  } finally {
    await controlPlane.process.stop();
    sink.close();
    folder.remove();
  }
}

/** Lists every stored result for export, and waits until all of them are delivered. */
async function drain(controlPlane: ControlPlane, database: BenchDatabase) {
  const pid = controlPlane.process.pid;
  const before = { cpu: cpuMs(pid), database: database.cpuMs(), rss: rssMiB(pid) };
  await database.client.query(
    `INSERT INTO telemetry_results (id, team_id, check_keys, location_keys, slots_ms)
     SELECT gen_random_uuid()::text, min(team_id), array_agg(check_key), array_agg(location_key), array_agg(slot_ms)
     FROM (SELECT r.*, c.team_id, row_number() OVER (ORDER BY slot_ms) / 500 AS list
           FROM results r JOIN checks c ON c.key = r.check_key) r
     GROUP BY list`,
  );
  const listed = { database: database.cpuMs() };
  const startMs = performance.now();
  let rssMax = before.rss;
  for (;;) {
    const { status } = (await controlPlane.ok("GET", "/api/telemetry")) as {
      status: { exportedRecords: number; lagSeconds: number; lastError: string | null }[];
    };
    rssMax = Math.max(rssMax, rssMiB(pid));
    if (status[0]?.lastError) throw new Error(status[0].lastError);
    if ((status[0]?.exportedRecords ?? 0) >= RESULTS && status[0]?.lagSeconds === 0) {
      const seconds = (performance.now() - startMs) / 1000;
      const cpu = (cpuMs(pid) - before.cpu) / 1000;
      const databaseCpu = (database.cpuMs() - listed.database) / 1000;
      const records = status[0].exportedRecords;
      return {
        records,
        "records/s": records / seconds,
        "control plane, records per core-second": records / cpu,
        "with PostgreSQL, records per core-second": records / (cpu + databaseCpu),
        "memory before, MiB": before.rss,
        "largest, MiB": rssMax,
      };
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** An endpoint that takes everything and looks at nothing. */
async function startSink(): Promise<{ url: string; close(): void }> {
  const server = http.createServer((request, response) => {
    request.resume();
    request.on("end", () => response.writeHead(200).end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
