/** One line that names an incident. Pure. */
import { oneLine, truncate } from "@svc/contract";
import { type Dimension, dimensionValue, kindOf } from "./dimensions.ts";
import type { MemberFacts } from "./facts.ts";

const TITLE_LENGTH_MAX = 200;

/**
 * Of one alert: its check and what is wrong; of more: how many checks and what they share.
 * @param shared what all members share   @param members a sample   @param checkCount of all of them
 */
export function titleOf(
  members: readonly MemberFacts[],
  checkCount: number,
  shared: readonly Dimension[],
): string {
  const [first] = members;
  if (!first) return "Incident";
  if (checkCount <= 1) return shortened(`${first.checkName}: ${first.summary}`);
  return shortened(`${checkCount} checks failing${sharedText(members, shared)}`);
}

function sharedText(members: readonly MemberFacts[], shared: readonly Dimension[]): string {
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

function nameOfLocation(members: readonly MemberFacts[], locationId: string): string {
  const places = members.flatMap(({ places }) => places);
  return places.find((place) => place.locationId === locationId)?.locationName ?? locationId;
}

function shortened(text: string): string {
  return truncate(oneLine(text), TITLE_LENGTH_MAX);
}
