/** Runs the benchmarks that are named, or all of them, one after the other. */
import { agentAssertionsBench, agentHttpBench, agentHttpsBench, agentTimesBench } from "./agent.ts";
import { agentMemoryBench } from "./agent-memory.ts";
import { alertLatencyBench, alertPressureBench, alertStormBench } from "./alert-delivery.ts";
import { alertIngestBench } from "./alert-ingest.ts";
import { browserBench, browserSoakBench } from "./browser.ts";
import { citusBench } from "./citus.ts";
import { cliDeployBench, cliStartBench, cliValidateBench } from "./cli.ts";
import { dashboardBench } from "./dashboard.ts";
import { dashboardPageBench } from "./dashboard-page.ts";
import { editorBench } from "./editor.ts";
import { fuzzBench } from "./fuzz.ts";
import { historiesBench, isSeedRange } from "./histories.ts";
import { historyBench } from "./history.ts";
import { incidentsBench } from "./incidents.ts";
import { ingestBench } from "./ingest.ts";
import { latenessBench } from "./lateness.ts";
import { mcpBench } from "./mcp.ts";
import { mcpServerBench } from "./mcp-server.ts";
import { migrationsBench } from "./migrations.ts";
import { neighboursBench } from "./neighbours.ts";
import { previewBench } from "./preview.ts";
import { readsBench } from "./reads.ts";
import { rollupsBench, simulateBench } from "./simulate.ts";
import { slosBench } from "./slos.ts";
import { telemetryExportBench } from "./telemetry-export.ts";
import { telemetryIngestBench } from "./telemetry-ingest.ts";
import { typesBench } from "./types.ts";

/** Seeds for the histories, such as `1..5000`; undefined: their default. */
const seeds = process.argv.slice(2).find(isSeedRange);

const BENCHES: Record<string, () => Promise<void>> = {
  "agent-http": agentHttpBench,
  "agent-https": agentHttpsBench,
  "agent-assertions": agentAssertionsBench,
  "agent-times": agentTimesBench,
  "agent-memory": agentMemoryBench,
  "cli-start": cliStartBench,
  "cli-validate": cliValidateBench,
  "cli-deploy": cliDeployBench,
  citus: citusBench,
  dashboard: dashboardBench,
  "dashboard-page": dashboardPageBench,
  editor: editorBench,
  lateness: latenessBench,
  ingest: ingestBench,
  histories: () => historiesBench(seeds),
  history: historyBench,
  incidents: incidentsBench,
  mcp: mcpBench,
  "mcp-server": mcpServerBench,
  migrations: migrationsBench,
  neighbours: neighboursBench,
  preview: previewBench,
  reads: readsBench,
  rollups: rollupsBench,
  simulate: simulateBench,
  slos: slosBench,
  "alert-ingest": alertIngestBench,
  "alert-latency": alertLatencyBench,
  "alert-pressure": alertPressureBench,
  "alert-storm": alertStormBench,
  "telemetry-export": telemetryExportBench,
  browser: browserBench,
  "browser-soak": browserSoakBench,
  "telemetry-ingest": telemetryIngestBench,
  types: typesBench,
  fuzz: fuzzBench,
};

const wanted = process.argv.slice(2).filter((argument) => !isSeedRange(argument));
for (const name of wanted)
  if (!Object.hasOwn(BENCHES, name)) {
    console.error(`no benchmark "${name}"; there are: ${Object.keys(BENCHES).join(", ")}`);
    process.exit(1);
  }
for (const [name, bench] of Object.entries(BENCHES))
  if (wanted.length === 0 || wanted.includes(name)) {
    console.log(`\n## ${name}`);
    await bench();
  }
process.exit(0);
