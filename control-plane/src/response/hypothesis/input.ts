/** The input of a hypothesis: the members of an incident, and the events around its start. */
import { type LocationId, listed, MINUTE_MS } from "@svc/contract";
import type { Dimension } from "../incidents/dimensions.ts";
import type { FailingLocations, MemberProfile } from "../incidents/member-profile.ts";

/** Time before the incident's start within which a change may have caused it. */
export const CHANGE_LOOK_BACK_MS = 30 * MINUTE_MS;

/** Another check of the team on a host that the incident concerns. */
export interface Neighbour {
  checkName: string;
  host: string;
  isFailing: boolean;
}

/** A deployment shortly before the incident. */
export interface RecentDeployment {
  service: string;
  version: string;
  environment: string | null;
  /** Unix ms. */
  atMs: number;
}

/** A maintenance window of a member's check shortly before the incident. */
export interface RecentWindow {
  name: string;
  /** Unix ms; null when the window still held at the incident's start. */
  endedAtMs: number | null;
}

/** The runners of a location. */
export interface LocationRunners {
  locationId: LocationId;
  locationName: string;
  /** Runners that sent a heartbeat in the last minute. */
  aliveCount: number;
}

/** The part of the input that follows from the incident's members. */
export interface HypothesisSubject {
  /** A sample of the members, open ones first. */
  members: readonly MemberProfile[];
  /** Number of checks of all members. */
  checkCount: number;
  /** When the first alert began, Unix ms. */
  openedAtMs: number;
  /** Dimensions that the members share. */
  shared: readonly Dimension[];
}

/** An incident's members and their surroundings, on which the hypothesis rules decide. */
export interface HypothesisInput extends HypothesisSubject {
  failingLocations: FailingLocations;
  neighbours: readonly Neighbour[];
  /** Deployments of the {@link CHANGE_LOOK_BACK_MS} before the start. */
  deployments: readonly RecentDeployment[];
  windows: readonly RecentWindow[];
  runners: readonly LocationRunners[];
}

/** Returns the values without nulls, each once, in the order of their first appearance. */
export function distinct<T>(values: readonly (T | null)[]): T[] {
  return [...new Set(values.filter((value) => value !== null))];
}

/** Returns the hosts that the members watch as a phrase; the checks' names when no host is known. */
export function targetsOf({ members }: Pick<HypothesisInput, "members">): string {
  const hosts = distinct(members.map(({ host }) => host));
  return hosts.length > 0 ? listed(hosts) : listed(distinct(members.map(({ checkName }) => checkName)));
}

/** Returns the time from `fromMs` to `toMs` as `5 min`; `0 min` when it is negative. */
export function minutesBetween(fromMs: number, toMs: number): string {
  return `${Math.max(0, Math.round((toMs - fromMs) / MINUTE_MS))} min`;
}
