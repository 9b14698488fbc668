/** Records one scenario: runs the real probes slot by slot against the world, and keeps what the service would have stored. */
import {
  checkTypes,
  HOUR_MS,
  type MissingReason,
  type ResultDetail,
  type RunFaultReason,
  type TlsFacts,
} from "@svc/contract";
import { type ProbeOutcome, type RunResult, runProbe } from "@svc/probes";
import { openBrowserRuntime } from "../harness/browser.ts";
import { compactDetail } from "./compact-detail.ts";
import { NOW_MS, type RecordedCheck, type RecordedResult, type Recording } from "./recording.ts";
import type { Scenario, ScenarioCheck, Stretch } from "./scenario.ts";
import type { RunningWorld } from "./world/world.ts";

/** Ids of the locations, those of real services. */
const LOCATIONS = [
  "loc_us_east",
  "loc_eu_central",
  "loc_ap_south",
  "loc_us_west",
  "loc_sa_east",
  "loc_eu_north",
];
const COVERED_MS = 6 * HOUR_MS;
const REASONS: Record<RunFaultReason, MissingReason> = {
  unsupported: "no_capable_runner",
  capacity: "runner_capacity",
  out_of_memory: "runner_oom",
  crash: "runner_crash",
  network: "runner_network",
  draining: "runner_lost",
  previous_run: "previous_run",
};

/** Runs a scenario's checks, the older slot first. */
export async function recordScenario(scenario: Scenario, world: RunningWorld): Promise<Recording> {
  const { id, cause, broken, deployments = [] } = scenario;
  const checks: RecordedCheck[] = [];
  for (const check of scenario.checks) checks.push(await recordCheck(check, world));
  return {
    id,
    cause,
    broken,
    checks,
    deployments: deployments.map(({ minutesAgo, ...one }) => ({ ...one, agoSeconds: minutesAgo * 60 })),
  };
}

async function recordCheck(check: ScenarioCheck, world: RunningWorld): Promise<RecordedCheck> {
  const {
    name = "Shop",
    type = "http",
    frequencySeconds = 60,
    conditions = ["consecutive_failures"],
  } = check;
  const { configSchema, targetField } = checkTypes.get(type);
  const config = configSchema.parse(check.config) as Record<string, unknown>;
  const locations = LOCATIONS.slice(0, check.locations ?? 3);
  const slots = check.course.flatMap((stretch) =>
    Array.from({ length: stretch.slots }, (_, index) => ({ stretch, index })),
  );
  const recorded: RecordedCheck = {
    name,
    type,
    url: String(config[targetField ?? "url"] ?? ""),
    frequencySeconds,
    conditions,
    details: [],
    results: Object.fromEntries(locations.map((id) => [id, []])),
    missing: locations.map((locationId) => ({ locationId, expected: 0, reasons: {} })),
  };
  const details = new Map<string, number>();
  for (const [order, { stretch, index }] of slots.entries())
    for (const [location, locationId] of locations.entries()) {
      const agoSeconds = (slots.length - order) * frequencySeconds;
      const missing = recorded.missing[location] as RecordedCheck["missing"][number];
      const isCovered = agoSeconds * 1000 <= COVERED_MS;
      if (isCovered) missing.expected++;
      const outcome = await runOnce({ stretch, index, location }, { type, config, frequencySeconds }, world);
      if (typeof outcome === "string") {
        if (isCovered) missing.reasons[outcome] = (missing.reasons[outcome] ?? 0) + 1;
        continue;
      }
      const detail = outcome.status === "success" ? undefined : compactDetail(outcome.detail ?? {});
      recorded.results[locationId]?.unshift(
        resultOf(outcome, agoSeconds, detail && indexOf(detail, details, recorded.details)),
      );
      const tls = outcome.facts?.tls as TlsFacts | undefined;
      if (tls)
        recorded.certificate = {
          validForSeconds: Math.round((Date.parse(tls.validTo) - Date.now()) / HOUR_MS) * 3_600,
          isTrusted: tls.isTrusted,
          trustError: tls.trustError ?? null,
        };
    }
  recorded.missing = recorded.missing.filter(({ reasons }) => Object.keys(reasons).length > 0);
  return recorded;
}

/** Returns the result of a run, or the reason why there is none. */
async function runOnce(
  { stretch, index, location }: { stretch: Stretch; index: number; location: number },
  { type, config, frequencySeconds }: { type: string; config: unknown; frequencySeconds: number },
  world: RunningWorld,
): Promise<RunResult | MissingReason> {
  const isConcerned = stretch.at === undefined || stretch.at.includes(location);
  if (isConcerned && stretch.unrun) return stretch.unrun;
  await world.prepare((state) => {
    if (isConcerned) stretch.breaks?.(state, { location, index });
  });
  const context = {
    signal: new AbortController().signal,
    allowPrivateAddresses: true,
    nowMs: () => Date.now(),
    userAgent: "svc/corpus",
    egress: world.egress,
    caCertificates: [world.authority.certificate],
    hosts: { browser: { run: runInBrowser } },
  };
  const outcome = await runProbe(
    { checkId: "chk_corpus", type, config, retry: null, slotMs: NOW_MS, frequencySeconds },
    context,
  );
  return outcome.kind === "result" ? outcome : REASONS[outcome.reason];
}

/** Runs a browser check in a browser that ends with the run, so that no run finds the cache of another. */
async function runInBrowser(
  ...run: Parameters<ReturnType<typeof openBrowserRuntime>["run"]>
): Promise<ProbeOutcome> {
  browsers ??= openBrowserRuntime({
    allowsUnsandboxedScripts: true,
    sandbox: { problem: "the recorder has a sandbox of its own" } as never,
  });
  return browsers.run(...run);
}
let browsers: ReturnType<typeof openBrowserRuntime> | undefined;

function indexOf(detail: ResultDetail, known: Map<string, number>, details: ResultDetail[]): number {
  const text = JSON.stringify(detail);
  const index = known.get(text) ?? details.push(detail) - 1;
  known.set(text, index);
  return index;
}

function resultOf(result: RunResult, agoSeconds: number, detail: number | undefined): RecordedResult {
  const { status, httpStatusCode = null, responseTimeUs, phases } = result;
  const { dnsLookupUs, tcpConnectUs, tlsHandshakeUs, ttfbUs, contentTransferUs } = phases;
  const ms = (us: number | undefined) => (us === undefined ? null : Math.round(us / 100) / 10);
  return [
    agoSeconds,
    status,
    httpStatusCode,
    [
      Math.round(responseTimeUs / 100) / 10,
      ...([dnsLookupUs, tcpConnectUs, tlsHandshakeUs, ttfbUs, contentTransferUs].map(ms) as [
        number | null,
        number | null,
        number | null,
        number | null,
        number | null,
      ]),
    ],
    ...(detail === undefined ? ([] as const) : ([detail] as const)),
  ];
}
