/** Chooses the names that a language model is shown of a team: those that the description is most likely about. */
import type { TeamContext } from "../platform/team-context.ts";
import { type NamedCheck, readCheckNames, readOtherNames } from "./store.ts";

/** Most checks that are looked at, and that are shown. */
const CHECKS_READ_MAX = 5_000;
const CHECKS_SHOWN_MAX = 200;
/** Most records of any other kind that are shown. */
const OTHERS_MAX = 100;

/** Names of what a team has, without settings, addresses or credentials. */
export interface TeamNames {
  monitors: NamedCheck[];
  /** True when the team has more monitors than are shown. */
  hasMoreMonitors: boolean;
  channels: { name: string; type: string }[];
  locations: { id: string; name: string; region: string }[];
  slos: string[];
  alertPolicies: string[];
  maintenanceWindows: string[];
  thirdPartyPatterns: string[];
}

/** Returns the names for a description. */
export async function readTeamNames(
  { services: { knex }, teamId }: TeamContext,
  description: string,
): Promise<TeamNames> {
  const checks = await readCheckNames(knex, teamId, CHECKS_READ_MAX);
  const others = await readOtherNames(knex, teamId, OTHERS_MAX);
  const named = (kind: string) => others.filter((one) => one.kind === kind);
  const namesOf = (kind: string) => named(kind).map(({ name }) => name);
  return {
    monitors: nearest(checks, description).slice(0, CHECKS_SHOWN_MAX),
    hasMoreMonitors: checks.length > CHECKS_SHOWN_MAX,
    channels: named("channel").map(({ name, detail }) => ({ name, type: detail })),
    locations: named("location").map(({ id, name, detail }) => ({ id, name, region: detail })),
    slos: namesOf("slo"),
    alertPolicies: namesOf("policy"),
    maintenanceWindows: namesOf("window"),
    thirdPartyPatterns: namesOf("pattern"),
  };
}

/** Sorts checks by how many words of the description stand in their names and labels; the rest keeps its order. */
export function nearest(checks: readonly NamedCheck[], description: string): NamedCheck[] {
  const wanted = wordsOf(description);
  const score = ({ name, labels }: NamedCheck) =>
    [...wordsOf([name, ...labels].join(" "))].filter((word) => wanted.has(word)).length;
  return checks
    .map((check) => ({ check, score: score(check) }))
    .sort((a, b) => b.score - a.score)
    .map(({ check }) => check);
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);
}
