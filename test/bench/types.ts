/**
 * CPU of the agent per run of the check types that connect to a port, everything included, beside Debian's blackbox_exporter
 * asked for the same number of probes a second of the same target. CPU of programs that a run starts, as ping does, counts.
 */
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { ROOT } from "../harness/control-plane.ts";
import { freePort, temporaryFolder } from "../harness/folders.ts";
import { startProgram } from "../harness/process.ts";
import { until } from "../harness/wait.ts";
import { BLACKBOX, drivePaced, withAgent } from "./agent.ts";
import { cpuMs, endedChildrenCpuMs, median, printTable } from "./measure.ts";

const ROUNDS = 2;
const HOST = "127.0.0.1";
const FREQUENCY_SECONDS = 10;

interface Compared {
  type: string;
  ratePerSecond: number;
  config: Record<string, unknown>;
  /** The exporter's module, as YAML, and its target. */
  module: string;
  target: string;
}

/** CPU per run of agent and exporter, by type. */
export async function typesBench(): Promise<void> {
  if (!existsSync(BLACKBOX)) throw new Error(`${BLACKBOX} is not installed`);
  const folder = temporaryFolder();
  const [keyFile, caFile] = [join(folder.path, "target.key"), join(folder.path, "target.crt")];
  const request =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1";
  execFileSync("openssl", [...request.split(" "), "-keyout", keyFile, "-out", caFile], { stdio: "ignore" });
  const targets = startProgram(
    join(ROOT, "node_modules/.bin/tsx"),
    [join(ROOT, "test/bench/type-targets.ts"), keyFile, caFile],
    {},
  );
  const rows = [];
  try {
    const [, ...ports] = await until(
      "the targets listen",
      () => /ports (\d+) (\d+) (\d+) (\d+)/.exec(targets.output()),
      { withinMs: 30_000 },
    );
    const [tcp = 0, secure = 0, dns = 0, grpc = 0] = ports.map(Number);
    for (const one of comparedTypes({ tcp, secure, dns, grpc, caFile })) {
      const costs: Record<"agent" | "exporter", number[]> = { agent: [], exporter: [] };
      for (let round = 0; round < ROUNDS; round++) {
        costs.agent.push(await agentCost(one, caFile));
        costs.exporter.push(await exporterCost(one, folder.path));
      }
      const [agent, exporter] = [median(costs.agent), median(costs.exporter)];
      rows.push({
        type: one.type,
        "runs a second": one.ratePerSecond,
        "agent, CPU-ms per run": agent,
        "blackbox_exporter, CPU-ms per run": exporter,
        ratio: agent / exporter,
      });
    }
  } finally {
    await targets.kill9();
    folder.remove();
  }
  console.log(
    `\nCPU-ms per run, median of ${ROUNDS} interleaved rounds; load of the machine ${loadavg()
      .map((one) => one.toFixed(1))
      .join(" ")}`,
  );
  printTable(rows);
}

function comparedTypes(parts: {
  tcp: number;
  secure: number;
  dns: number;
  grpc: number;
  caFile: string;
}): Compared[] {
  const { tcp, secure, dns, grpc, caFile } = parts;
  const of = (prober: string, fields: string) =>
    `    prober: ${prober}\n    timeout: 5s\n    ${prober}:\n${fields}      preferred_ip_protocol: ip4\n`;
  const at = (port: number) => ({ host: HOST, port });
  return [
    { type: "tcp", ratePerSecond: 1000, config: at(tcp), module: of("tcp", ""), target: `${HOST}:${tcp}` },
    {
      type: "tls",
      ratePerSecond: 300,
      config: at(secure),
      module: of("tcp", `      tls: true\n      tls_config:\n        ca_file: ${caFile}\n`),
      target: `${HOST}:${secure}`,
    },
    {
      type: "dns",
      ratePerSecond: 1000,
      config: { domain: "shop.test", resolver: `${HOST}:${dns}` },
      module: of("dns", "      query_name: shop.test\n      query_type: A\n      transport_protocol: udp\n"),
      target: `${HOST}:${dns}`,
    },
    { type: "grpc", ratePerSecond: 500, config: at(grpc), module: of("grpc", ""), target: `${HOST}:${grpc}` },
    {
      type: "ping",
      ratePerSecond: 10,
      config: { host: HOST, count: 1 },
      module: of("icmp", ""),
      target: HOST,
    },
  ];
}

async function agentCost({ type, config, ratePerSecond }: Compared, caFile: string): Promise<number> {
  const count = ratePerSecond * FREQUENCY_SECONDS;
  const checks = Array.from({ length: count }, (_, at) => ({
    type,
    config,
    frequencySeconds: FREQUENCY_SECONDS,
    phaseMs: Math.floor((at * FREQUENCY_SECONDS * 1000) / count),
  }));
  return withAgent(checks, { NODE_EXTRA_CA_CERTS: caFile }, async (controlPlane, pid) => {
    // A check's configuration is parsed at its first run: not what a check costs from then on.
    await until("every check ran once", () => controlPlane.results > count, { withinMs: 60_000 });
    const [cpuBefore, resultsBefore] = [cpuWithChildrenMs(pid), controlPlane.results];
    await until("the round is over", () => controlPlane.results >= resultsBefore + count, {
      withinMs: 60_000,
    });
    return (cpuWithChildrenMs(pid) - cpuBefore) / (controlPlane.results - resultsBefore);
  });
}

async function exporterCost({ module, target, ratePerSecond }: Compared, folder: string): Promise<number> {
  const config = join(folder, "blackbox.yml");
  writeFileSync(config, `modules:\n  compared:\n${module}`);
  const port = await freePort();
  const exporter = startProgram(
    BLACKBOX,
    [`--config.file=${config}`, `--web.listen-address=${HOST}:${port}`, "--log.level=error"],
    {},
  );
  try {
    const url = `http://${HOST}:${port}/probe?module=compared&target=${encodeURIComponent(target)}`;
    await until("blackbox_exporter answers", async () =>
      (await (await fetch(url)).text()).includes("probe_success 1"),
    ).catch((error: unknown) => {
      throw new Error(`the exporter printed:\n${exporter.output()}`, { cause: error });
    });
    const count = ratePerSecond * FREQUENCY_SECONDS;
    await drivePaced(url, Math.ceil(count / 4), ratePerSecond);
    const before = cpuWithChildrenMs(exporter.pid);
    await drivePaced(url, count, ratePerSecond);
    return (cpuWithChildrenMs(exporter.pid) - before) / count;
  } finally {
    await exporter.kill9();
  }
}

/** CPU of a process and of its children that have ended, ms. */
function cpuWithChildrenMs(pid: number): number {
  return cpuMs(pid) + endedChildrenCpuMs(pid);
}
