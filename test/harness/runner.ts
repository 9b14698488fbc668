/** A runner agent as an own process. */
import { join } from "node:path";
import { ROOT } from "./control-plane.ts";
import { type RunningProcess, startNode } from "./process.ts";

export interface RunnerOptions {
  /** Checkout whose build is started. Default: this one. */
  root?: string;
  key: string;
  /** Port of the RunnerService on 127.0.0.1 (or of a proxy before it). */
  port: number;
  dataDir: string;
  /** Error of the clock that the agent sees, ms. */
  clockErrorMs?: number;
  environment?: Record<string, string>;
}

export function startRunner({
  root = ROOT,
  key,
  port,
  dataDir,
  clockErrorMs,
  environment,
}: RunnerOptions): RunningProcess {
  const skew = clockErrorMs === undefined ? [] : ["--import", wrongClock(clockErrorMs)];
  return startNode([...skew, join(root, "runner-agent/dist/main.js")], {
    SVC_RUNNER_KEY: key,
    SVC_CONTROL_PLANE_URL: `http://127.0.0.1:${port}`,
    SVC_RUNNER_DATA_DIR: dataDir,
    SVC_RUNNER_HEALTH_PORT: "0",
    LOG_LEVEL: "info",
    ...environment,
  });
}

/** A module that makes Date wrong by so much, before anything else runs. The monotonic clock stays as it is. */
function wrongClock(errorMs: number): string {
  const source = `
    const RealDate = Date;
    globalThis.Date = class extends RealDate {
      constructor(...parts) { super(...(parts.length ? parts : [RealDate.now() + ${errorMs}])); }
      static now() { return RealDate.now() + ${errorMs}; }
    };`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
