/** Measures the cost of the command line: its start, reading a large config, and deploying it. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SVC } from "../harness/cli.ts";
import { startControlPlane } from "../harness/control-plane.ts";
import { temporaryFolder } from "../harness/folders.ts";
import { median, printTable } from "./measure.ts";

const ROUNDS = 15;
const MONITORS = 1_000;

/** CPU of `svc --version` against that of a Node that does nothing, taken by turns. */
export async function cliStartBench(): Promise<void> {
  const [node, svc]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    node.push(cpuMsOf(["-e", "0"]));
    svc.push(cpuMsOf([SVC, "--version"]));
  }
  const [nodeMs, svcMs] = [median(node), median(svc)];
  printTable([
    { "node -e 0, CPU ms": nodeMs, "svc --version, CPU ms": svcMs, ratio: svcMs / nodeMs, "at most": 1.5 },
  ]);
}

/** CPU of `svc validate` of a thousand monitors. */
export async function cliValidateBench(): Promise<void> {
  const folder = temporaryFolder();
  writeFileSync(join(folder.path, "svc.config.yaml"), configOf(MONITORS));
  const all = Array.from({ length: 5 }, () => cpuMsOf([SVC, "validate"], { cwd: folder.path }));
  printTable([{ monitors: MONITORS, "svc validate, CPU ms": median(all), "at most": 1_000 }]);
  folder.remove();
}

/** Requests and CPU of deploying a thousand new monitors, and of doing it again. */
export async function cliDeployBench(): Promise<void> {
  const rows = [];
  for (const monitors of [1, MONITORS]) {
    const [data, folder] = [temporaryFolder(), temporaryFolder()];
    const controlPlane = await startControlPlane({ dataDir: data.path });
    const env = { SVC_API_URL: controlPlane.url, SVC_API_KEY: controlPlane.apiKey };
    writeFileSync(join(folder.path, "svc.config.yaml"), configOf(monitors));
    for (const deploy of ["first", "unchanged"]) {
      const startedMs = performance.now();
      const { stderr } = run([SVC, "deploy", "--verbose"], { cwd: folder.path, env });
      const seconds = Math.round(performance.now() - startedMs) / 1000;
      const requests = stderr.match(/^(GET|POST|PUT|DELETE) \S+: \d+ in/gm)?.length ?? 0;
      rows.push({ monitors, deploy, requests, "svc, CPU ms": cpuMsIn(stderr), seconds });
    }
    await controlPlane.process.stop();
    data.remove();
    folder.remove();
  }
  printTable(rows);
}

function configOf(monitors: number): string {
  const list = Array.from(
    { length: monitors },
    (_, i) => `  - name: monitor ${i}
    type: http
    url: https://host-${i}.example.com/health
    headers: { Accept: application/json }
    assertions: [{ type: status_code, value: 200 }, { type: response_time, max: 2000 }]
    labels: [team:web, tier:${i % 3}]
`,
  );
  return `project: large\ndefaults: { frequency: 1h, locations: [loc_us_east] }\nmonitors:\n${list.join("")}`;
}

interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
}

/** By way of bash, which counts what a process cost, in milliseconds. */
function run(args: readonly string[], { cwd, env = {} }: RunOptions) {
  const script = 'TIMEFORMAT="cpu %3U %3S"; time "$@"';
  const ran = spawnSync("bash", ["-c", script, "bash", process.execPath, ...args], {
    cwd,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env.PATH, HOME: cwd ?? "/nonexistent", ...env },
  });
  if (ran.status !== 0)
    throw new Error(`${args.join(" ")} exited ${ran.status}: ${ran.stderr.slice(0, 2_000)}`);
  return ran;
}

/** User and system time of one process. */
function cpuMsOf(args: readonly string[], options: RunOptions = {}): number {
  return cpuMsIn(run(args, options).stderr);
}

function cpuMsIn(stderr: string): number {
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)\s*$/.exec(stderr) ?? [];
  return Math.round((Number(user) + Number(system)) * 1000);
}
