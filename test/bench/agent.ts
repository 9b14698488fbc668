/**
 * CPU of the agent per HTTP check, everything included (schedule, assertions, spool, stream), beside Debian's
 * blackbox_exporter asked for the same number of probes a second of the same target, and beside bare node:http(s)
 * requests at full throttle. A fresh connection per check; the target is a process of its own. Also the honesty of the
 * times: what the agent measures of a target that takes 20 ms.
 */
import { existsSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort, temporaryFolder } from "../harness/folders.ts";
import { startNode, startProgram } from "../harness/process.ts";
import { startRunner } from "../harness/runner.ts";
import { until } from "../harness/wait.ts";
import { type BenchCheck, startBenchControlPlane } from "./bench-control-plane.ts";
import { cpuMs, median, printTable, quantile, rssMiB } from "./measure.ts";
import { startTargetProcess, type TargetProcess } from "./target-process.ts";

/** Debian's blackbox_exporter. */
export const BLACKBOX = "/usr/bin/prometheus-blackbox-exporter";
const ROUNDS = 3;
const PROBES_PER_ROUND = 4000;
const IN_FLIGHT = 50;
/** Runs a second that agent, exporter and bare Node are all asked for. */
const RATE_PER_SECOND = { http: 1000, https: 300 };

const ONE_ASSERTION = [{ type: "status_code", operator: "equals", value: 200 }];
const TEN_ASSERTIONS = [
  ...ONE_ASSERTION,
  { type: "status_code", operator: "less_than", value: 300 },
  { type: "response_time", max: 5000 },
  { type: "response_time", max: 8000 },
  { type: "body_contains", value: "xxx" },
  { type: "body_contains", value: "xxxx" },
  { type: "header_value", header: "Content-Type", operator: "contains", value: "text" },
  { type: "header_value", header: "Content-Length", operator: "equals", value: "512" },
  { type: "header_value", header: "Date", operator: "exists" },
  { type: "body_matches", pattern: "^x+$" },
];

interface Cost {
  cpuMsPerCheck: number;
  rssMiB: number;
}

/** CPU per check of agent, exporter and bare Node; for http and for https. */
export const agentHttpBench = () => costBench("http");
export const agentHttpsBench = () => costBench("https");

async function costBench(scheme: "http" | "https"): Promise<void> {
  const folder = temporaryFolder();
  const target = await startTargetProcess(folder.path);
  const url = scheme === "http" ? target.httpUrl : target.httpsUrl;
  const rate = RATE_PER_SECOND[scheme];
  const peerTitle = `blackbox_exporter, ${rate}/s`;
  const costs: Record<string, Cost[]> = {};
  const add = (title: string, cost: Cost) => {
    costs[title] = [...(costs[title] ?? []), cost];
  };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      add(`agent, ${rate}/s`, await agentCost(url, target, rate));
      add(`bare node, ${rate}/s`, await bareNodeCost(url, target, folder.path, rate));
      add("bare node, full throttle", await bareNodeCost(url, target, folder.path));
      if (existsSync(BLACKBOX)) {
        add(peerTitle, await blackboxCost(url, target, folder.path, rate));
        add("blackbox_exporter, full throttle", await blackboxCost(url, target, folder.path));
      }
    }
  } finally {
    await target.process.stop();
    folder.remove();
  }
  console.log(`\n${scheme}: CPU-ms per check, median of ${ROUNDS} interleaved rounds`);
  const peer = median(costs[peerTitle]?.map((cost) => cost.cpuMsPerCheck) ?? []);
  printTable(
    Object.entries(costs).map(([prober, rounds]) => {
      const cpu = median(rounds.map((cost) => cost.cpuMsPerCheck));
      return {
        prober,
        "CPU-ms per check": cpu,
        [`ratio to ${peerTitle}`]: cpu / peer,
        "RSS MiB": median(rounds.map((cost) => cost.rssMiB)),
      };
    }),
  );
}

/** Measures the cost that ten assertions add to a check. */
export async function agentAssertionsBench(): Promise<void> {
  const folder = temporaryFolder();
  const target = await startTargetProcess(folder.path);
  const costs: Record<"none" | "ten", number[]> = { none: [], ten: [] };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const rate = RATE_PER_SECOND.http;
      costs.none.push((await agentCost(target.httpUrl, target, rate, [])).cpuMsPerCheck);
      costs.ten.push((await agentCost(target.httpUrl, target, rate, TEN_ASSERTIONS)).cpuMsPerCheck);
    }
  } finally {
    await target.process.stop();
    folder.remove();
  }
  const none = median(costs.none);
  printTable([
    { assertions: "none", "CPU-ms per check": none, ratio: 1 },
    { assertions: "ten", "CPU-ms per check": median(costs.ten), ratio: median(costs.ten) / none },
  ]);
}

async function agentCost(
  url: string,
  target: TargetProcess,
  ratePerSecond: number,
  assertions: unknown[] = ONE_ASSERTION,
): Promise<Cost> {
  const checks = benchChecks(ratePerSecond * 10, 10, url, assertions);
  return withAgent(checks, { NODE_EXTRA_CA_CERTS: target.caFile }, async (controlPlane, pid) => {
    // A check's configuration is parsed at its first run: not what a check costs from then on.
    await until("every check ran once", () => controlPlane.results > checks.length, { withinMs: 60_000 });
    const [cpuBefore, resultsBefore] = [cpuMs(pid), controlPlane.results];
    await until("the round is over", () => controlPlane.results >= resultsBefore + PROBES_PER_ROUND, {
      withinMs: 120_000,
    });
    const count = controlPlane.results - resultsBefore;
    return { cpuMsPerCheck: (cpuMs(pid) - cpuBefore) / count, rssMiB: rssMiB(pid) };
  });
}

/** Checks whose slots are spread evenly over the period. */
export function benchChecks(
  count: number,
  frequencySeconds: number,
  url: string,
  assertions: unknown[] = ONE_ASSERTION,
): BenchCheck[] {
  const config = { url, timeoutMs: 10_000, assertions };
  return Array.from({ length: count }, (_, i) => ({
    config,
    frequencySeconds,
    phaseMs: Math.floor((i * frequencySeconds * 1000) / count),
  }));
}

export async function withAgent<T>(
  checks: BenchCheck[],
  environment: Record<string, string>,
  use: (controlPlane: Awaited<ReturnType<typeof startBenchControlPlane>>, pid: number) => Promise<T>,
): Promise<T> {
  const folder = temporaryFolder();
  const controlPlane = await startBenchControlPlane(checks);
  const agent = startRunner({
    key: `rk_${"0".repeat(64)}`,
    port: controlPlane.port,
    dataDir: folder.path,
    environment: { SVC_EGRESS_PRIVATE: "allow", LOG_LEVEL: "warn", ...environment },
  });
  try {
    return await use(controlPlane, agent.pid);
  } catch (error) {
    throw new Error(`the agent printed:\n${agent.output()}`, { cause: error });
  } finally {
    await agent.kill9();
    await controlPlane.close();
    folder.remove();
  }
}

/** node:http(s) with a connection per request, phases and a deadline timer: what no prober by that client can go below. */
const BARE_NODE = `
  const { cpuUsage } = process;
  const url = new URL(process.env.URL_TO_PROBE);
  const isTls = url.protocol === "https:";
  const client = require(isTls ? "node:https" : "node:http");
  const tls = require("node:tls"), net = require("node:net");
  const secureContext = isTls ? tls.createSecureContext({ ca: require("node:fs").readFileSync(process.env.CA_FILE), ecdhCurve: "X25519:P-256" }) : undefined;
  const connect = () => isTls
    ? tls.connect({ host: url.hostname, port: url.port, secureContext, servername: "" })
    : net.connect(Number(url.port), url.hostname);
  function probe(done) {
    const marks = { start: performance.now() };
    const request = client.request({ host: url.hostname, port: url.port, path: "/", createConnection: connect, headers: { connection: "close" } });
    const deadline = setTimeout(() => request.destroy(), 10000);
    request.on("socket", (socket) => {
      socket.once("connect", () => { marks.connect = performance.now(); });
      socket.once("secureConnect", () => { marks.secure = performance.now(); });
    });
    request.on("response", (response) => {
      marks.firstByte = performance.now();
      let size = 0;
      response.on("data", (chunk) => { size += chunk.length; });
      response.on("end", () => { marks.end = performance.now(); clearTimeout(deadline); done(); });
    });
    request.on("error", (error) => { throw error; });
    request.end();
  }
  function run(count, inFlight, done) {
    let started = 0, ended = 0;
    const next = () => { if (started < count) { started++; probe(() => { ended++; if (ended === count) done(); else next(); }); } };
    for (let i = 0; i < inFlight; i++) next();
  }
  function pace(count, perSecond, done) {
    let ended = 0;
    for (let i = 0; i < count; i++)
      setTimeout(() => probe(() => { ended++; if (ended === count) done(); }), i * 1000 / perSecond);
  }
  const perSecond = Number(process.env.PER_SECOND);
  const measured = perSecond ? (count, _, done) => pace(count, perSecond, done) : run;
  run(1000, ${IN_FLIGHT}, () => {
    const before = cpuUsage();
    measured(${PROBES_PER_ROUND}, ${IN_FLIGHT}, () => {
      const { user, system } = cpuUsage(before);
      console.log("cpu " + (user + system) / 1000 / ${PROBES_PER_ROUND} + " rss " + process.memoryUsage().rss / 1048576);
    });
  });
`;

async function bareNodeCost(
  url: string,
  target: TargetProcess,
  folder: string,
  ratePerSecond?: number,
): Promise<Cost> {
  const script = join(folder, "bare.cjs");
  writeFileSync(script, BARE_NODE);
  const process = startNode([script], {
    URL_TO_PROBE: url,
    CA_FILE: target.caFile,
    PER_SECOND: String(ratePerSecond ?? ""),
  });
  await process.ended;
  const [, cpu, rss] = /cpu (\S+) rss (\S+)/.exec(process.output()) ?? [];
  if (!cpu) throw new Error(`the bare floor failed: ${process.output()}`);
  return { cpuMsPerCheck: Number(cpu), rssMiB: Number(rss) };
}

async function blackboxCost(
  url: string,
  target: TargetProcess,
  folder: string,
  ratePerSecond?: number,
): Promise<Cost> {
  const config = join(folder, "blackbox.yml");
  writeFileSync(
    config,
    `modules:\n  http:\n    prober: http\n    timeout: 10s\n    http:\n      valid_status_codes: [200]\n      tls_config:\n        ca_file: ${target.caFile}\n`,
  );
  const port = await freePort();
  const exporter = startProgram(
    BLACKBOX,
    [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`, "--log.level=error"],
    {},
  );
  try {
    const probeUrl = `http://127.0.0.1:${port}/probe?module=http&target=${encodeURIComponent(url)}`;
    await until("blackbox_exporter answers", async () =>
      (await (await fetch(probeUrl)).text()).includes("probe_success 1"),
    );
    await drive(probeUrl, 1000);
    const cpuBefore = cpuMs(exporter.pid);
    await (ratePerSecond
      ? drivePaced(probeUrl, PROBES_PER_ROUND, ratePerSecond)
      : drive(probeUrl, PROBES_PER_ROUND));
    return {
      cpuMsPerCheck: (cpuMs(exporter.pid) - cpuBefore) / PROBES_PER_ROUND,
      rssMiB: rssMiB(exporter.pid),
    };
  } finally {
    await exporter.kill9();
  }
}

/** Asks the exporter for `count` probes over kept connections, as Prometheus does. */
async function drive(url: string, count: number): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: IN_FLIGHT });
  let left = count;
  const worker = async () => {
    while (left-- > 0)
      await new Promise<void>((resolve, reject) => {
        http.get(url, { agent }, (response) => response.resume().on("end", resolve)).on("error", reject);
      });
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  agent.destroy();
}

/** Asks the exporter for `count` probes evenly spread in time, over kept connections. */
export async function drivePaced(url: string, count: number, ratePerSecond: number): Promise<void> {
  const agent = new http.Agent({ keepAlive: true });
  const startMs = performance.now();
  const probes: Promise<void>[] = [];
  while (probes.length < count) {
    const due = Math.min(count, Math.floor(((performance.now() - startMs) * ratePerSecond) / 1000));
    while (probes.length < due)
      probes.push(
        new Promise<void>((resolve, reject) => {
          http.get(url, { agent }, (response) => response.resume().on("end", resolve)).on("error", reject);
        }),
      );
    await delay(1);
  }
  await Promise.all(probes);
  agent.destroy();
}

/** Against a target that answers after 20 ms, at several loads. */
export async function agentTimesBench(): Promise<void> {
  const folder = temporaryFolder();
  const target = await startTargetProcess(folder.path, 20);
  const rows = [];
  for (const [name, url, count] of [
    ["http, 170/s", target.httpUrl, 1_700],
    ["http, 500/s", target.httpUrl, 5_000],
    ["http, 1000/s", target.httpUrl, 10_000],
    ["https, 50/s", target.httpsUrl, 500],
    ["https, 200/s", target.httpsUrl, 2_000],
  ] as const) {
    const times: number[] = [];
    await withAgent(
      benchChecks(count, 10, url),
      { NODE_EXTRA_CA_CERTS: target.caFile },
      async (controlPlane) => {
        await until("the agent is warm", () => controlPlane.results > count / 5, { withinMs: 60_000 });
        controlPlane.onBatch = (batch) => {
          for (const us of batch.responseTimeUs) times.push(us / 1000);
        };
        await delay(10_000);
      },
    );
    times.sort((a, b) => a - b);
    rows.push({
      load: name,
      results: times.length,
      "p50 ms": quantile(times, 0.5),
      "p95 ms": quantile(times, 0.95),
      "p99 ms": quantile(times, 0.99),
    });
  }
  await target.process.stop();
  folder.remove();
  console.log("\nmeasured response time of a target that answers after 20 ms");
  printTable(rows);
}
