/** How the API says that nobody was notified of an alert by itself. Pure. */
import type { AlertInstanceId, CheckId, HeldBack, HoldReason, IncidentId, LocationId } from "@svc/contract";

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
  heldLocationName: string | null;
  /** The incident of that location; null while it is being opened. */
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
  if (heldReason === "location") return textOfLocation(row);
  if (name === null)
    return "held back for a moment: it depends on other checks, which may be the ones that fail";
  return heldFreeSince === null
    ? `held back: depends on ${name}, which is failing`
    : `held back: depends on ${name}, which has just recovered`;
}

function textOfLocation({ heldLocationName, heldFreeSince }: HoldColumns): string {
  const location = heldLocationName ?? "its location";
  return heldFreeSince === null
    ? `held back: ${location} can't reach its targets`
    : `held back: ${location} could not reach its targets, and has just recovered`;
}
