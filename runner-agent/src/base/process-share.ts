/** Part that one of an agent's processes has of the machine: its data folder, and its share of the limits. Pure. */
import { join } from "node:path";
import { BODY_BUDGET_BYTES_DEFAULT } from "@svc/probes";

/** One of several processes: numbered from 1 on. A number above `count` is that of an earlier, larger count. */
export interface ProcessNumber {
  number: number;
  count: number;
}

/** A limit of the machine, and the smallest that one process can work with. Bytes. */
interface Divided {
  total: number;
  min: number;
}

/** The limits of the machine. */
export interface MachineLimits {
  spoolBytes: Divided;
  artifactBytes: Divided;
  /** `total` undefined: the default, which rises with the number of processes where they need more. */
  bodyBytes: { total: number | undefined; min: number };
  /** 0: no browser. */
  browserBytes: number;
}

/** The limits of one process. */
export interface ProcessLimits {
  spoolBytes: number;
  artifactBytes: number;
  bodyBytes: number;
  /** 0: this process has no browser. */
  browserBytes: number;
}

/** Folder of the further processes' data folders in that of the first one. */
export const PROCESS_FOLDERS = "processes";
/** Memory below which a process's browser could not run a script: 320 MiB of its own and four pages of 192 MiB. */
const BROWSER_SHARE_BYTES = 1088 * 1024 * 1024;

/**
 * Returns the data folder of a process. The first one has the agent's own, so that a single process that becomes several keeps its
 * identity and its spool.
 */
export function processDataDir(dataDir: string, number: number): string {
  return number === 1 ? dataDir : join(dataDir, PROCESS_FOLDERS, String(number));
}

/**
 * Returns the limits of a process, which together with those of the others are the machine's. As many processes have a browser as
 * can have one that runs scripts.
 * @param process undefined: it is the only one
 * @returns problems, each of which names its setting, when a limit is too small to be divided
 */
export function shareOfProcess(
  process: ProcessNumber | undefined,
  { spoolBytes, artifactBytes, bodyBytes, browserBytes }: MachineLimits,
): ProcessLimits | { problems: string[] } {
  const { number, count } = process ?? { number: 1, count: 1 };
  const body = {
    min: bodyBytes.min,
    total: bodyBytes.total ?? Math.max(BODY_BUDGET_BYTES_DEFAULT, count * bodyBytes.min),
  };
  const problems = (
    [
      ["SVC_RUNNER_SPOOL_BYTES_MAX", spoolBytes],
      ["SVC_RUNNER_ARTIFACT_BYTES_MAX", artifactBytes],
      ["SVC_RUNNER_BODY_BYTES_MAX", body],
    ] as const
  ).flatMap(([name, { total, min }]) =>
    total < count * min
      ? [`${name} ${total} is too small for SVC_RUNNER_PROCESSES ${count}: smallest is ${count * min}`]
      : [],
  );
  if (problems.length > 0) return { problems };
  const share = ({ total }: Divided) => Math.floor(total / count);
  const browsers = Math.max(1, Math.min(count, Math.floor(browserBytes / BROWSER_SHARE_BYTES)));
  return {
    spoolBytes: share(spoolBytes),
    artifactBytes: share(artifactBytes),
    bodyBytes: share(body),
    browserBytes: number <= browsers ? Math.floor(browserBytes / browsers) : 0,
  };
}
