/**
 * Parses the agent's settings from the environment, once. A wrong value ends the start with a line that names the
 * variable.
 */
import { accessSync, constants, readFileSync } from "node:fs";
import { FRESH_RUNS_DEFAULT, readEnvironmentFiles } from "@svc/contract";
import { type OtelSettings, parseOtelSettings } from "@svc/otel";
import * as z from "zod";
import { autoProcesses, availableMemoryBytes, PROCESSES_MAX } from "./machine-size.ts";
import { type ProcessNumber, processDataDir, shareOfProcess } from "./process-share.ts";

/** Says which settings can't be used. The message is one line for the operator. */
export class ConfigError extends Error {}

const count = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, "expected a whole number")
    .transform(Number)
    .pipe(z.number().min(min, `smallest is ${min}`).max(max, `largest is ${max}`));

/** Smallest limits of one process. */
const SPOOL_BYTES_MIN = 1024 * 1024;
const ARTIFACT_BYTES_MIN = 1024 * 1024;
const BODY_BYTES_MIN = 128 * 1024 * 1024;

const environmentSchema = z.object({
  SVC_RUNNER_KEY: z
    .string("is required: the runner key, rk_ and 64 hex digits")
    .regex(/^rk_[0-9a-f]{64}$/, "expected rk_ and 64 hex digits"),
  SVC_CONTROL_PLANE_URL: z
    .string(
      "is required: the address of the control plane's RunnerService, e.g. https://svc.example.com:8081",
    )
    .transform((text, context) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === "/") return url.origin;
      context.addIssue("expected http(s)://host[:port]");
      return z.NEVER;
    }),
  SVC_RUNNER_DATA_DIR: z.string().min(1, "expected a folder").optional(),
  SVC_RUNNER_PROCESSES: z
    .union([z.literal("auto"), count(1, PROCESSES_MAX)], `expected "auto" or 1-${PROCESSES_MAX}`)
    .default(1),
  SVC_RUNNER_LOCATIONS: z
    .string()
    .default("")
    .transform((text) =>
      text
        .split(",")
        .map((id) => id.trim())
        .filter((id) => id !== ""),
    ),
  SVC_RUNNER_HEALTH_HOST: z.string().min(1, "expected an address").default("127.0.0.1"),
  SVC_RUNNER_HEALTH_PORT: z
    .union([z.literal("off"), count(0, 65_535)], 'expected "off" or 0-65535')
    .default(8082),
  SVC_RUNNER_MAX_IN_FLIGHT: count(1, 10_000).default(FRESH_RUNS_DEFAULT),
  SVC_RUNNER_SPOOL_BYTES_MAX: count(SPOOL_BYTES_MIN, 2 ** 42).default(1024 ** 3),
  SVC_RUNNER_ARTIFACT_BYTES_MAX: count(ARTIFACT_BYTES_MIN, 2 ** 42).default(512 * 1024 ** 2),
  SVC_RUNNER_BODY_BYTES_MAX: count(BODY_BYTES_MIN, 2 ** 40).optional(),
  SVC_RUNNER_CAPACITY_PER_SECOND: count(1, 1_000_000).default(1000),
  SVC_EGRESS_PRIVATE: z.enum(["allow", "deny"], 'expected "allow" or "deny"').optional(),
  SVC_RUNNER_CA_FILE: z.string().min(1, "expected a file").optional(),
  SVC_BROWSER_PATH: z.string().min(1, "expected a file").optional(),
  SVC_BROWSER_MEMORY_BYTES: z
    .union(
      [z.literal("off"), count(512 * 1024 * 1024, 2 ** 42)],
      'expected "off", or bytes from 536870912 on',
    )
    .optional(),
  SVC_BROWSER_UNSANDBOXED_SCRIPTS: z.enum(["allow", "deny"], 'expected "allow" or "deny"').default("deny"),
  LOG_LEVEL: z
    .enum(
      ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
      "expected trace, debug, info, warn, error, fatal or silent",
    )
    .default("info"),
});

/** The agent's settings, validated, defaults filled in. */
export interface Config {
  runnerKey: string;
  /** Origin of the RunnerService. */
  controlPlaneUrl: string;
  dataDir: string;
  /** Processes that share the work of this agent, and which of them this is; undefined: the one that starts them, or the only one. */
  processes: number;
  process: ProcessNumber | undefined;
  /** The data folder of all processes, which no sandbox may show. */
  sharedDataDir: string;
  /** Hosted keys only: locations to serve; empty: all. */
  locationIds: string[];
  healthHost: string;
  /** 0: any free port; undefined: no health server. */
  healthPort: number | undefined;
  maxInFlight: number;
  spoolBytesMax: number;
  /** Largest size of the pictures and videos that wait on disk for their upload. */
  artifactBytesMax: number;
  /** Memory for response bodies, over all runs. */
  bodyBytesMax: number;
  capacityPerSecond: number;
  /**
   * True when probes may reach private addresses; undefined: the default of the key's pool (private location: yes,
   * hosted: no).
   */
  isPrivateEgressAllowed: boolean | undefined;
  /** PEM; undefined: the system's authorities. */
  ca: string | undefined;
  /** A Chromium's executable; undefined: the agent looks for one. */
  browserPath: string | undefined;
  /** Memory for all browser runs together; 0: this agent runs no browser checks. */
  browserMemoryBytes: number;
  /** True when scripts of browser checks run even on a machine without sandbox. */
  areUnsandboxedScriptsAllowed: boolean;
  logLevel: string;
  /** Which of the agent's own signals leave over OTLP: the standard `OTEL_*` variables. Traces are the control plane's. */
  otel: OtelSettings;
}

/**
 * Returns the settings in `environment`. An empty variable counts as unset; `<variable>_FILE` names a file that holds the value.
 * @param process one of several processes: it gets its share of the machine's limits, and a data folder of its own
 * @throws ConfigError that names every wrong variable
 */
export function parseConfig(
  environment: Record<string, string | undefined>,
  process?: ProcessNumber,
): Config {
  const { environment: read, problems } = readEnvironmentFiles(
    environment,
    Object.keys(environmentSchema.shape),
    (path) => readFileSync(path, "utf8"),
  );
  const otel = parseOtelSettings(environment, ["metrics", "logs"], problems);
  if (problems.length > 0) throw new ConfigError(problems.join("; "));
  const set = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== ""));
  const parsed = environmentSchema.safeParse(set);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "),
    );
  }
  const values = parsed.data;
  const { SVC_RUNNER_PROCESSES: wanted, SVC_BROWSER_MEMORY_BYTES: browserBytes } = values;
  const sharedDataDir = values.SVC_RUNNER_DATA_DIR ?? defaultDataDir();
  const share = shareOfProcess(process, {
    spoolBytes: { total: values.SVC_RUNNER_SPOOL_BYTES_MAX, min: SPOOL_BYTES_MIN },
    artifactBytes: { total: values.SVC_RUNNER_ARTIFACT_BYTES_MAX, min: ARTIFACT_BYTES_MIN },
    bodyBytes: { total: values.SVC_RUNNER_BODY_BYTES_MAX, min: BODY_BYTES_MIN },
    browserBytes: browserBytes === "off" ? 0 : (browserBytes ?? Math.floor(availableMemoryBytes() / 2)),
  });
  if ("problems" in share) throw new ConfigError(share.problems.join("; "));
  return {
    runnerKey: values.SVC_RUNNER_KEY,
    controlPlaneUrl: values.SVC_CONTROL_PLANE_URL,
    dataDir: processDataDir(sharedDataDir, process?.number ?? 1),
    sharedDataDir,
    processes: wanted === "auto" ? autoProcesses(availableMemoryBytes()) : wanted,
    process,
    locationIds: values.SVC_RUNNER_LOCATIONS,
    healthHost: values.SVC_RUNNER_HEALTH_HOST,
    healthPort:
      process || values.SVC_RUNNER_HEALTH_PORT === "off" ? undefined : values.SVC_RUNNER_HEALTH_PORT,
    maxInFlight: values.SVC_RUNNER_MAX_IN_FLIGHT,
    spoolBytesMax: share.spoolBytes,
    artifactBytesMax: share.artifactBytes,
    bodyBytesMax: share.bodyBytes,
    capacityPerSecond: values.SVC_RUNNER_CAPACITY_PER_SECOND,
    isPrivateEgressAllowed:
      values.SVC_EGRESS_PRIVATE === undefined ? undefined : values.SVC_EGRESS_PRIVATE === "allow",
    ca: values.SVC_RUNNER_CA_FILE === undefined ? undefined : readCa(values.SVC_RUNNER_CA_FILE),
    browserPath: values.SVC_BROWSER_PATH,
    browserMemoryBytes: share.browserBytes,
    areUnsandboxedScriptsAllowed: values.SVC_BROWSER_UNSANDBOXED_SCRIPTS === "allow",
    logLevel: values.LOG_LEVEL,
    otel,
  };
}

/** Returns the folder that the packages make for the agent, or one in the working directory where that can't be written. */
function defaultDataDir(): string {
  const packaged = "/var/lib/svc-runner";
  try {
    accessSync(packaged, constants.W_OK);
    return packaged;
  } catch {
    return "./data-runner";
  }
}

function readCa(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError(`SVC_RUNNER_CA_FILE can't be read: ${(error as Error).message}`);
  }
}
