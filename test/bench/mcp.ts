/**
 * Measures the cost of a run of an MCP check beside that of the SDK's bare client with equal calls (initialize, list,
 * call, end), against the reference server in a process of its own; and the memory that many runs leave behind.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { mcpConfigSchema } from "@svc/contract";
import { runProbe } from "@svc/probes";
import { startReferenceMcpServer } from "../harness/mcp-server.ts";
import { collectGarbage, median, printTable } from "./measure.ts";

const ROUNDS = 5;
const RUNS_PER_ROUND = 100;
/** Of the soak. */
const RUNS = Number(process.env.SVC_BENCH_RUNS ?? 500);

/** CPU-ms per run, memory after a tenth of the runs and after all, and what is still open. */
export async function mcpBench(): Promise<void> {
  const { endpoint, process: server } = await startReferenceMcpServer();
  try {
    await compare(endpoint);
    await soak(endpoint);
  } finally {
    await server.kill9();
  }
}

async function compare(endpoint: string): Promise<void> {
  const costs: { probe: number[]; bare: number[] } = { probe: [], bare: [] };
  await cpuMsPerRun(() => probeRun(endpoint), 30);
  await cpuMsPerRun(() => bareRun(endpoint), 30);
  for (let round = 0; round < ROUNDS; round++) {
    costs.bare.push(await cpuMsPerRun(() => bareRun(endpoint), RUNS_PER_ROUND));
    costs.probe.push(await cpuMsPerRun(() => probeRun(endpoint), RUNS_PER_ROUND));
  }
  const [probe, bare] = [median(costs.probe), median(costs.bare)];
  printTable([{ "probe CPU-ms": probe, "bare SDK client CPU-ms": bare, ratio: probe / bare }]);
}

async function soak(endpoint: string): Promise<void> {
  const heapMiB = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const early = Math.max(10, Math.round(RUNS / 10));
  await cpuMsPerRun(() => probeRun(endpoint), early);
  const [before, open] = [heapMiB(), process.getActiveResourcesInfo().length];
  await cpuMsPerRun(() => probeRun(endpoint), RUNS);
  const resources = process.getActiveResourcesInfo().length - open;
  const after = heapMiB();
  printTable([
    {
      [`heap MiB after ${early} runs`]: before,
      [`after ${RUNS} more`]: after,
      ratio: after / before,
      "resources left": resources,
    },
  ]);
}

async function cpuMsPerRun(run: () => Promise<void>, runs: number): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < runs; i++) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / runs;
}

async function probeRun(endpoint: string): Promise<void> {
  const config = mcpConfigSchema.parse({
    endpoint,
    testCalls: [{ toolName: "echo", arguments: { message: "x" } }],
  });
  const outcome = await runProbe(
    { checkId: "chk_bench", type: "mcp", config, retry: null, slotMs: 0, frequencySeconds: 60 },
    {
      signal: stop.signal,
      allowPrivateAddresses: true,
      nowMs: () => Date.now(),
      userAgent: "svc-bench/1",
    },
  );
  if (outcome.kind !== "result" || outcome.status !== "success")
    throw new Error(`a run did not succeed: ${JSON.stringify(outcome)}`);
}
const stop = new AbortController();

async function bareRun(endpoint: string): Promise<void> {
  const client = new Client({ name: "bare", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(endpoint));
  await client.connect(transport);
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  await client.callTool({ name: "echo", arguments: { message: "x" } });
  await transport.terminateSession();
  await client.close();
}
