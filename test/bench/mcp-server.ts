/**
 * CPU time of the MCP server's tools beside the REST routes whose verbs they call, in one run: as many calls of the tool as of the
 * route, in turns, measured in the control plane's process. The database's CPU is the statements' alone, and is left out.
 */
import { DAY_MS, MINUTE_MS } from "@svc/contract";
import { openPool } from "../../control-plane/src/platform/db/pool.ts";
import { storeHistory } from "../../control-plane/test-support/stored-history.ts";
import { type ControlPlane, startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { createLoad, openBenchDatabase } from "./bench-database.ts";
import { cpuMs, printTable } from "./measure.ts";

const CHECKS = 50;
/** Checks whose newest results fail. */
const FAILING = 10;
const REQUESTS = 100;
/** An even number: tool and route go first in turns, as the first pays for what is kept for a second. */
const ROUNDS = 4;

/** A tool's call, and the request that does the like over REST. */
interface Pair {
  tool: string;
  input: Record<string, unknown>;
  path: string;
}

/** Prints CPU per call of tools and of the routes behind them. */
export async function mcpServerBench(): Promise<void> {
  const folder = temporaryFolder();
  const controlPlane = await startControlPlane({
    dataDir: folder.path,
    environment: { SVC_RATE_LIMIT_PER_MINUTE: "1000000" },
  });
  try {
    const database = await openBenchDatabase(folder.path);
    const nowMs = Date.now();
    const { locationKey, checks } = await createLoad(controlPlane, database, CHECKS, 60);
    const knex = openPool(database.url, { poolMax: 2 });
    await storeHistory(knex, { checks, locationKey, nowMs, resultDays: 1, rollupDays: 1 });
    await knex.destroy();
    const failing = checks.slice(0, FAILING);
    await database.client.query("UPDATE results SET status = 2 WHERE check_key = ANY($1) AND slot_ms > $2", [
      failing.map(({ key }) => key),
      nowMs - 10 * MINUTE_MS,
    ]);
    await database.client.query("UPDATE checks SET created_at = to_timestamp($1 / 1000.0)", [nowMs - DAY_MS]);
    const pairs = await pairsOf(controlPlane, failing[0]?.id ?? "");
    printTable(await measurePairs(controlPlane, pairs));
    await database.close();
  } finally {
    await controlPlane.process.stop();
    folder.remove();
  }
}

async function pairsOf(controlPlane: ControlPlane, checkId: string): Promise<Pair[]> {
  const path = `/api/checks/${checkId}`;
  const { results } = await controlPlane.ok<{ results: { id: string }[] }>("GET", `${path}/results?limit=1`);
  const resultId = results[0]?.id ?? "";
  return [
    { tool: "list_failing", input: {}, path: "/api/overview" },
    { tool: "get_result", input: { checkId, resultId }, path: `${path}/results/${resultId}` },
    { tool: "list_results", input: { checkId, limit: 20 }, path: `${path}/results?limit=20` },
    { tool: "list_alerts", input: {}, path: "/api/alerts/instances?limit=20" },
    { tool: "get_check", input: { checkId }, path: `${path}?secrets=masked` },
  ];
}

async function measurePairs(controlPlane: ControlPlane, pairs: readonly Pair[]) {
  const totals = pairs.map(() => ({ toolMs: 0, routeMs: 0 }));
  // The first two rounds warm up caches and compiled code, and do not count.
  for (let round = -2; round < ROUNDS; round++)
    for (const [index, { tool, input, path }] of pairs.entries()) {
      const total = round < 0 ? { toolMs: 0, routeMs: 0 } : (totals[index] as (typeof totals)[number]);
      const ofTool = async () => {
        total.toolMs += await measure(controlPlane, () => callTool(controlPlane, tool, input));
      };
      const ofRoute = async () => {
        total.routeMs += await measure(controlPlane, () => controlPlane.ok("GET", path));
      };
      for (const one of round % 2 === 0 ? [ofTool, ofRoute] : [ofRoute, ofTool]) await one();
    }
  return pairs.map(({ tool, path }, index) => {
    const { toolMs, routeMs } = totals[index] as (typeof totals)[number];
    return {
      tool,
      route: `GET ${path.replaceAll(/(chk|res)_\w+/g, ":id")}`,
      "tool, CPU ms": toolMs / (ROUNDS * REQUESTS),
      "route, CPU ms": routeMs / (ROUNDS * REQUESTS),
      ratio: toolMs / routeMs,
    };
  });
}

/** Returns the CPU time that the control plane spends on the requests, ms. */
async function measure({ process: { pid } }: ControlPlane, ask: () => Promise<unknown>): Promise<number> {
  const beforeMs = cpuMs(pid);
  for (let nth = 0; nth < REQUESTS; nth++) await ask();
  return cpuMs(pid) - beforeMs;
}

async function callTool({ url, apiKey }: ControlPlane, name: string, input: object): Promise<void> {
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
  });
  const { result } = (await response.json()) as { result?: { isError?: boolean } };
  if (!result || result.isError)
    throw new Error(`${name} answered ${response.status}: ${JSON.stringify(result)}`);
}
