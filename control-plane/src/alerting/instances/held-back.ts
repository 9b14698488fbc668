/** How the API says that nobody was notified of an alert by itself. Pure. */
import {
  type AlertInstanceId,
  type CheckId,
  type HeldBack,
  type HoldReason,
  type IncidentId,
  type LocationId,
  listed,
  oneLine,
} from "@svc/contract";

/** Locations that the text names; of more it says how many. */
const NAMED_MAX = 3;

/** The columns of an instance that say whether, and why, its notifications are held back. */
export interface HoldColumns {
  /** null: they are not. */
  heldReason: HoldReason | null;
  /** The alert of the check that it depends on; null while none is known. */
  heldCauseId: AlertInstanceId | null;
  /** Since when none of the checks that it depends on fails any more, ISO 8601; null while one does. */
  heldFreeSince: string | null;
  heldCheckId: CheckId | null;
  heldCheckName: string | null;
  /** The location that can't reach its targets, the first of those where the check failed; null: the reason is another. */
  heldLocationId: LocationId | null;
  /** Names of all of those locations, in the order in which the check failed there; empty: the reason is another, or they are deleted. */
  heldLocationNames: readonly string[];
  /** The incident of these locations; null while it is being opened. */
  heldIncidentId: IncidentId | null;
}

/** Returns the field of an instance; none when nothing is held back. */
export function heldBackOf(row: HoldColumns): { heldBack?: HeldBack } {
  if (row.heldReason === null) return {};
  return {
    heldBack: {
      reason: row.heldReason,
      text: textOf(row),
      instanceId: row.heldCauseId,
      checkId: row.heldCheckId,
      checkName: row.heldCheckName,
      locationId: row.heldLocationId,
      incidentId: row.heldIncidentId,
    },
  };
}

function textOf(row: HoldColumns): string {
  const { heldCheckName: name, heldFreeSince, heldReason } = row;
  if (heldReason === "location") return textOfLocations(row);
  if (name === null)
    return "held back for a moment: it depends on other checks, which may be the ones that fail";
  return heldFreeSince === null
    ? `held back: depends on ${name}, which is failing`
    : `held back: depends on ${name}, which has just recovered`;
}

function textOfLocations({ heldLocationNames, heldFreeSince }: HoldColumns): string {
  const locations = listed(heldLocationNames.map(oneLine), NAMED_MAX) || "its location";
  const [whose, have] = heldLocationNames.length > 1 ? ["their", "have"] : ["its", "has"];
  return heldFreeSince === null
    ? `held back: ${locations} can't reach ${whose} targets`
    : `held back: ${locations} could not reach ${whose} targets, and ${have} just recovered`;
}
