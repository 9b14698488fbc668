/** What rules of the hypothesis look at, and what one of them may find. */
import { listed } from "@svc/contract";
import type { Dimension } from "../incidents/dimensions.ts";
import type { FailingLocations, MemberFacts } from "../incidents/facts.ts";

/** Another check of the team on a host that the incident concerns. */
export interface Neighbour {
  checkName: string;
  host: string;
  isFailing: boolean;
}

export interface DeploymentFact {
  service: string;
  version: string;
  environment: string | null;
  /** Unix ms. */
  atMs: number;
}

export interface WindowFact {
  name: string;
  /** Unix ms; null: it still holds. */
  endedAtMs: number | null;
}

/** What of a location's runners is known. */
export interface RunnerFact {
  locationId: string;
  locationName: string;
  /** Runners that sent a heartbeat in the last minute. */
  aliveCount: number;
}

export interface HypothesisFacts {
  /** A sample of the members, open ones first. */
  members: readonly MemberFacts[];
  /** Checks of all members. */
  checkCount: number;
  /** When its first alert began, Unix ms. */
  openedAtMs: number;
  shared: readonly Dimension[];
  failingLocations: FailingLocations;
  neighbours: readonly Neighbour[];
  /** Of the {@link CHANGE_LOOK_BACK_MS} before it opened. */
  deployments: readonly DeploymentFact[];
  windows: readonly WindowFact[];
  runners: readonly RunnerFact[];
}

/** Changes this long before the start may be why. */
export const CHANGE_LOOK_BACK_MS = 1_800_000;

export interface Finding {
  /** A cause: a sentence without a full stop, and how sure the facts make it, 0 to 1. None: only context. */
  cause?: { summary: string; confidence: number };
  ruledIn?: string[];
  ruledOut?: string[];
  /** It is about a change, not only about what checks see. */
  isChange?: boolean;
}

export type HypothesisRule = (facts: HypothesisFacts) => Finding | undefined;

export function distinct<T>(values: readonly (T | null)[]): T[] {
  return [...new Set(values.filter((value) => value !== null))] as T[];
}

/** The hosts that the members watch, or the members' names. */
export function targetsOf({ members }: HypothesisFacts): string {
  const hosts = distinct(members.map(({ host }) => host));
  return hosts.length > 0 ? listed(hosts) : listed(distinct(members.map(({ checkName }) => checkName)));
}
