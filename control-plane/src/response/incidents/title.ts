/** Titles of incidents. Pure. */
import { oneLine, truncate } from "@svc/contract";
import { type Dimension, dimensionValue, kindOf } from "./dimensions.ts";
import type { MemberProfile } from "./member-profile.ts";

const TITLE_LENGTH_MAX = 200;

/**
 * Returns one line that names an incident: for one check its name and what is wrong, for several their number and what they
 * share.
 * @param members a sample of the members
 * @param checkCount number of checks of all members
 * @param shared dimensions that the members share
 */
export function titleOf(
  members: readonly MemberProfile[],
  checkCount: number,
  shared: readonly Dimension[],
): string {
  const [first] = members;
  if (!first) return "Incident";
  if (checkCount <= 1) return shortened(`${first.checkName}: ${first.summary}`);
  return shortened(`${checkCount} checks failing${sharedText(members, shared)}`);
}

function sharedText(members: readonly MemberProfile[], shared: readonly Dimension[]): string {
  const find = (kind: string) => shared.find((dimension) => kindOf(dimension) === kind);
  const location = find("location") ?? find("location+error_category");
  const host = find("host") ?? find("domain");
  if (host) return ` on ${dimensionValue(host)}`;
  if (location) return ` from ${nameOfLocation(members, dimensionValue(location).split("+")[0] ?? "")}`;
  if (find("certificate")) return " with the same certificate";
  const label = find("label");
  if (label) return ` with the label ${dimensionValue(label)}`;
  const names = [...new Set(members.map(({ checkName }) => checkName))];
  return `: ${names.slice(0, 3).join(", ")}${names.length > 3 ? ", ..." : ""}`;
}

function nameOfLocation(members: readonly MemberProfile[], locationId: string): string {
  const states = members.flatMap(({ locationStates }) => locationStates);
  return states.find((state) => state.locationId === locationId)?.locationName ?? locationId;
}

function shortened(text: string): string {
  return truncate(oneLine(text), TITLE_LENGTH_MAX);
}
