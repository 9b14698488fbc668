/** Shapes of what the parts of the triage page share. */
import type { annotationRoutes, ID_PREFIXES, incidentRoutes, notificationRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";

/** An incident with its events and alerts. */
export type Triage = Answer<typeof incidentRoutes.get>;
/** An incident. */
export type ShownIncident = Triage["incident"];
/** An alert of the incident. */
export type ShownAlert = Triage["alerts"][number];
/** Something that happened beside it. */
export type ShownAnnotation = Answer<typeof annotationRoutes.list>["annotations"][number];
/** A notification about it. */
export type ShownNotification = Answer<typeof notificationRoutes.list>["notifications"][number];

/** Time before an incident in which changes are looked for. */
export const BEFORE_MS = 60 * 60 * 1000;

/** Returns when the incident was over, Unix ms; undefined while it lasts. */
export function endMsOf({ state, resolvedAt, closedAt }: ShownIncident): number | undefined {
  const end = state === "resolved" || state === "closed" ? (resolvedAt ?? closedAt) : null;
  return end === null ? undefined : Date.parse(end);
}

const LOCATION: (typeof ID_PREFIXES)["location"] = "loc";
const SECRET: (typeof ID_PREFIXES)["secret"] = "sec";

/**
 * Returns what may have to do with an incident: of changes of the configuration those of its checks, and of locations and secrets,
 * which any check may use.
 */
export function relevantTo(
  alerts: readonly Pick<ShownAlert, "checkId">[],
  annotations: readonly ShownAnnotation[],
): ShownAnnotation[] {
  const checkIds = new Set<string | null>(alerts.map(({ checkId }) => checkId));
  return annotations.filter(
    ({ kind, subjectId }) =>
      kind !== "config_change" ||
      checkIds.has(subjectId) ||
      subjectId?.startsWith(`${LOCATION}_`) ||
      subjectId?.startsWith(`${SECRET}_`),
  );
}

/** Returns the changes that happened in the hour before the incident began, newest first. */
export function changesBefore(
  { openedAt }: Pick<ShownIncident, "openedAt">,
  annotations: readonly ShownAnnotation[],
): ShownAnnotation[] {
  const openedMs = Date.parse(openedAt);
  return annotations.filter(({ kind, at, until }) => {
    if (kind === "alert" || kind === "incident") return false;
    const beganMs = Date.parse(at);
    const endedMs = until === null ? beganMs : Date.parse(until);
    return beganMs <= openedMs && endedMs >= openedMs - BEFORE_MS;
  });
}
