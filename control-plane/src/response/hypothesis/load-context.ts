/** Loads what else the hypotheses of some incidents look at: once for all of them, one statement per kind. */
import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { deploymentsBetween } from "../../telemetry/deployment-markers/store.ts";
import type { FailingLocations, MemberFacts } from "../incidents/facts.ts";
import { readNeighbours, readRecentWindows, readRunners } from "./context-store.ts";
import { CHANGE_LOOK_BACK_MS, distinct, type HypothesisFacts, type WindowFact } from "./finding.ts";

/** An incident whose hypothesis is to be worked out. */
export type IncidentFacts = Pick<HypothesisFacts, "members" | "checkCount" | "openedAtMs" | "shared">;

/** Checks of one incident whose maintenance windows are looked at. */
const CHECKS_LOOKED_AT = 50;
/** Deployments that one hypothesis names. */
const DEPLOYMENTS_MAX = 5;

/** @returns completes the facts of an incident */
export async function loadContext(
  trx: Knex,
  teamId: TeamId,
  incidents: readonly IncidentFacts[],
  failingLocations: FailingLocations,
  nowMs: number,
): Promise<(incident: IncidentFacts) => HypothesisFacts> {
  const members = incidents.flatMap((incident) => [...incident.members]);
  const openings = incidents.map(({ openedAtMs }) => openedAtMs);
  const [fromMs, untilMs] = [Math.min(...openings) - CHANGE_LOOK_BACK_MS, Math.max(...openings)];
  const neighbours = await readNeighbours(trx, teamId, distinct(members.map(({ host }) => host)), nowMs);
  const deployments = await deploymentsBetween(trx, teamId, fromMs, untilMs);
  const checkIds = distinct(
    incidents
      .flatMap((incident) => incident.members.slice(0, CHECKS_LOOKED_AT))
      .map(({ checkId }) => checkId),
  );
  const windows = await readRecentWindows(trx, teamId, checkIds, untilMs);
  const runners = await readRunners(trx, distinct(members.flatMap(concernedLocations)), nowMs);
  return (incident) => {
    const ownChecks = new Set(incident.members.map(({ checkId }) => checkId));
    const ownHosts = new Set(incident.members.map(({ host }) => host));
    const ownLocations = new Set(incident.members.flatMap(concernedLocations));
    return {
      ...incident,
      failingLocations: concerning(failingLocations, incident),
      neighbours: neighbours.filter(({ checkId, host }) => !ownChecks.has(checkId) && ownHosts.has(host)),
      deployments: deployments
        .map(({ service, version, environment, createdAt }) => ({
          ...{ service, version, environment: environment ?? null, atMs: Date.parse(createdAt) },
        }))
        .filter(
          ({ atMs }) => atMs <= incident.openedAtMs && incident.openedAtMs - atMs <= CHANGE_LOOK_BACK_MS,
        )
        .slice(0, DEPLOYMENTS_MAX),
      windows: windowsOf(
        windows.filter(({ checkId }) => ownChecks.has(checkId)),
        incident.openedAtMs,
      ),
      runners: runners.filter(({ locationId }) => ownLocations.has(locationId)),
    };
  };
}

/** Ids of the locations that an alert is about. */
function concernedLocations({ places, locations }: MemberFacts): string[] {
  return places
    .filter(({ isFailing, locationName }) => isFailing || locations.includes(locationName))
    .map(({ locationId }) => locationId);
}

function windowsOf(windows: readonly { name: string; endsAtMs: number }[], openedAtMs: number): WindowFact[] {
  const endsAt = new Map(windows.map(({ name, endsAtMs }) => [name, endsAtMs]));
  return [...endsAt].map(([name, endsAtMs]) => ({
    name,
    endedAtMs: endsAtMs > openedAtMs ? null : endsAtMs,
  }));
}

/** Those that the incident's alerts are about. */
function concerning(failing: FailingLocations, { members }: IncidentFacts): FailingLocations {
  const own = new Set(members.flatMap(concernedLocations));
  return new Map([...failing].filter(([id]) => own.has(id)));
}
