/** Loads the surroundings of incidents that their hypotheses need: once for all of them, one statement per kind. */
import type { LocationId } from "@svc/contract";
import type { Knex } from "knex";
import { deploymentsBetween } from "../../telemetry/deployment-markers/store.ts";
import type { FailingLocations, MemberProfile } from "../incidents/member-profile.ts";
import type { TeamBatch } from "../incidents/team-batch.ts";
import {
  CHANGE_LOOK_BACK_MS,
  distinct,
  type HypothesisInput,
  type HypothesisSubject,
  type RecentDeployment,
  type RecentWindow,
} from "./input.ts";
import { readNeighbours, readRecentWindows, readRunners, type WindowRow } from "./input-store.ts";

/** Most members of one incident whose checks' maintenance windows are read. */
const MEMBERS_WITH_WINDOWS_MAX = 50;
/** Most deployments that one hypothesis names. */
const DEPLOYMENTS_MAX = 5;

/** The incidents whose surroundings are loaded, and the locations that fail as a whole. */
export interface LoadInputsOptions {
  subjects: readonly HypothesisSubject[];
  failing: FailingLocations;
}

/** Returns a function that completes the input of each of these subjects. */
export async function loadHypothesisInputs(
  trx: Knex,
  { teamId, nowMs }: TeamBatch,
  { subjects, failing }: LoadInputsOptions,
): Promise<(subject: HypothesisSubject) => HypothesisInput> {
  const members = subjects.flatMap((subject) => [...subject.members]);
  const starts = subjects.map(({ openedAtMs }) => openedAtMs);
  const fromMs = Math.min(...starts) - CHANGE_LOOK_BACK_MS;
  const untilMs = Math.max(...starts);
  const hosts = distinct(members.map(({ host }) => host));
  const neighbours = await readNeighbours(trx, { teamId, hosts, nowMs });
  const deployments = (await deploymentsBetween(trx, teamId, { fromMs, toMs: untilMs })).map(deploymentOf);
  const checkIds = distinct(
    subjects
      .flatMap((subject) => subject.members.slice(0, MEMBERS_WITH_WINDOWS_MAX))
      .map(({ checkId }) => checkId),
  );
  const windows = await readRecentWindows(trx, { teamId, checkIds, untilMs });
  const runners = await readRunners(trx, distinct(members.flatMap(concernedLocations)), nowMs);
  return (subject) => {
    const ownChecks = new Set(subject.members.map(({ checkId }) => checkId));
    const ownHosts = new Set(subject.members.map(({ host }) => host));
    const ownLocations = new Set(subject.members.flatMap(concernedLocations));
    return {
      ...subject,
      failingLocations: new Map([...failing].filter(([id]) => ownLocations.has(id))),
      neighbours: neighbours.filter(({ checkId, host }) => !ownChecks.has(checkId) && ownHosts.has(host)),
      deployments: deployments.filter(({ atMs }) => isShortlyBefore(atMs, subject)).slice(0, DEPLOYMENTS_MAX),
      windows: windowsOf(
        windows.filter(({ checkId }) => ownChecks.has(checkId)),
        subject.openedAtMs,
      ),
      runners: runners.filter(({ locationId }) => ownLocations.has(locationId)),
    };
  };
}

/** Returns the ids of the locations that an alert is about. */
function concernedLocations({ locationStates, locations }: MemberProfile): LocationId[] {
  return locationStates
    .filter(({ isFailing, locationName }) => isFailing || locations.includes(locationName))
    .map(({ locationId }) => locationId);
}

function deploymentOf({
  service,
  version,
  environment,
  createdAt,
}: Awaited<ReturnType<typeof deploymentsBetween>>[number]): RecentDeployment {
  return { service, version, environment: environment ?? null, atMs: Date.parse(createdAt) };
}

function isShortlyBefore(atMs: number, { openedAtMs }: HypothesisSubject): boolean {
  return atMs <= openedAtMs && openedAtMs - atMs <= CHANGE_LOOK_BACK_MS;
}

/** Returns the windows, each name once. A window that still held at the start has no end. */
function windowsOf(windows: readonly WindowRow[], openedAtMs: number): RecentWindow[] {
  const endsAtMs = new Map(windows.map((window) => [window.name, window.endsAtMs]));
  return [...endsAtMs].map(([name, endMs]) => ({ name, endedAtMs: endMs > openedAtMs ? null : endMs }));
}
