/** Examines the agents: that each location with checks has one that can run them, and that those are well and not too old. */
import { counted, type Finding, found, groupBy, listed } from "@svc/contract";
import { VERSION } from "../../platform/version.ts";
import type { Patient } from "./patient.ts";
import { type ConnectedRunner, type LocationDemand, listConnectedRunners, readDemand } from "./store.ts";

/** Lateness from which an agent has more to do than it can, ms. */
const LATENESS_WARNED_MS = 1_000;
/** Check type whose checks the examination of the browser looks after. */
export const BROWSER = "browser";

/** Returns whether agents are there for the checks. */
export async function examineAgents({ knex }: Patient): Promise<Finding[]> {
  if (!knex) return [found.skipped("the database can't be asked")];
  return agentFindings(await readDemand(knex), await listConnectedRunners(knex));
}

/** Judges the agents that are connected by the checks that are to run. Pure. */
export function agentFindings(
  demand: readonly LocationDemand[],
  runners: readonly ConnectedRunner[],
): Finding[] {
  if (demand.length === 0 && runners.length === 0)
    return [found.skipped("no check is to run, and no agent is connected")];
  const served = new Set(runners.flatMap(({ locationKeys }) => locationKeys));
  const findings: Finding[] = [
    ...absenceFindings(demand.filter(({ locationKey }) => !served.has(locationKey))),
    ...incapableFindings(
      demand.filter(({ type, locationKey }) => type !== BROWSER && served.has(locationKey)),
      runners,
    ),
    ...versionFindings(runners),
    ...loadFindings(runners),
  ];
  if (findings.length > 0) return findings;
  return [found.ok(`${counted(runners.length, "agent")} connected, and each location with checks has one`)];
}

/** Returns a finding for each check type that no agent runs at some locations: one for hosted locations, one for those of teams. */
export function incapableFindings(
  demand: readonly LocationDemand[],
  runners: readonly ConnectedRunner[],
): Finding[] {
  const lacking = demand.filter(
    ({ type, locationKey }) =>
      !runners.some(
        ({ capabilities, locationKeys }) => locationKeys.includes(locationKey) && capabilities.includes(type),
      ),
  );
  const groups = groupBy(lacking, ({ type, isHosted }) => `${type}/${isHosted}`);
  return [...groups.values()].map((group) => {
    const { type, isHosted } = group[0] as LocationDemand;
    const checks = group.reduce((sum, one) => sum + one.checks, 0);
    const names = listed(group.map(({ locationId }) => locationId));
    const message = `${counted(checks, `${type} check`)} at ${names} run nowhere: no agent there runs ${type} checks`;
    const remedy = "run `svc-runner doctor` on the agent's machine: it says what is missing";
    return isHosted ? found.problem(message, remedy) : found.warning(message, remedy);
  });
}

function absenceFindings(demand: readonly LocationDemand[]): Finding[] {
  const hosted = new Set<string>();
  const own = new Set<string>();
  for (const { isHosted, locationId } of demand) (isHosted ? hosted : own).add(locationId);
  const findings: Finding[] = [];
  if (hosted.size > 0)
    findings.push(
      found.problem(
        `no agent is connected for ${listed([...hosted])}, and checks are to run there`,
        "start an agent with a key of `svc-control-plane runner-keys create --hosted`, or set SVC_EMBEDDED_RUNNER to true",
      ),
    );
  if (own.size > 0)
    findings.push(
      found.warning(
        `no agent is connected for the private ${own.size === 1 ? "location" : "locations"} ${listed([...own])}, and checks are to run there`,
        "tell the team: its page of the location shows when its agents were heard of last",
      ),
    );
  return findings;
}

function versionFindings(runners: readonly ConnectedRunner[]): Finding[] {
  const old = runners.filter(({ version }) => isTooOld(version, VERSION));
  if (old.length === 0) return [];
  const names = old.map(({ hostname, version }) => `${hostname} (${version})`);
  return [
    found.warning(
      `${counted(old.length, "agent")} of a version that is not tried with ${VERSION} any more: ${listed(names)}`,
      "upgrade them: each release works beside the one before",
    ),
  ];
}

/** True when an agent is more than one release behind. Pure. */
export function isTooOld(version: string, present: string): boolean {
  const [major = 0, minor = 0] = present.split(".").map(Number);
  const [agentMajor = 0, agentMinor = 0] = version.split(".").map(Number);
  if (Number.isNaN(agentMajor) || Number.isNaN(agentMinor)) return false;
  return agentMajor < major - 1 || (agentMajor === major && agentMinor < minor - 1);
}

function loadFindings(runners: readonly ConnectedRunner[]): Finding[] {
  const late = runners.filter(({ stats }) => (stats.latenessP99Ms ?? 0) > LATENESS_WARNED_MS);
  const dropping = runners.filter(({ stats }) => (stats.droppedResults ?? 0) > 0);
  const findings: Finding[] = [];
  if (late.length > 0)
    findings.push(
      found.warning(
        `${listed(late.map(({ hostname }) => hostname))} ${late.length === 1 ? "begins" : "begin"} checks more than ${LATENESS_WARNED_MS / 1000} s late`,
        "give them more processors, run SVC_RUNNER_PROCESSES=auto, or add agents at their locations",
      ),
    );
  if (dropping.length > 0)
    findings.push(
      found.warning(
        `${listed(dropping.map(({ hostname, stats }) => `${hostname} (${stats.droppedResults} results)`))} dropped results because the spool or the disk was full`,
        "give their data folder more space, or raise SVC_RUNNER_SPOOL_BYTES_MAX",
      ),
    );
  return findings;
}
