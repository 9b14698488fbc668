/** Which further facts would make a hypothesis surer, or change it. No I/O. */
import type { ShownAlert, ShownAnnotation, ShownIncident } from "./triage.ts";

/** Request that reports a deployment. */
export const REPORT_DEPLOYMENT = "POST /api/events/deployments";

/** What is known of the incident besides its hypothesis. */
interface Known {
  incident: Pick<ShownIncident, "state" | "hypothesis">;
  alerts: readonly Pick<ShownAlert, "checkId" | "state">[];
  /** Changes of the hour before. */
  changes: readonly Pick<ShownAnnotation, "kind">[];
  /** Locations that the affected checks run at; undefined while that is not known. */
  locationCount: number | undefined;
}

/** Returns what would change the hypothesis, as sentences. */
export function doubtsOf({ incident, alerts, changes, locationCount }: Known): string[] {
  const isOver = incident.state === "resolved" || incident.state === "closed";
  const checks = new Set(alerts.map(({ checkId }) => checkId)).size;
  const doubts: string[] = [];
  if (!changes.some(({ kind }) => kind === "deployment"))
    doubts.push(
      `No deployment was reported in the hour before. If there was one, report deployments with ${REPORT_DEPLOYMENT}: they are weighed then.`,
    );
  if (checks === 1)
    doubts.push(
      "A single check saw it. A second check on the target would tell one page's failure from the whole host's.",
    );
  if (locationCount === 1)
    doubts.push(
      "It was seen from one location only. A second location would show whether its network fails.",
    );
  if (incident.hypothesis.ruledOut.length === 0) doubts.push("Nothing could be excluded so far.");
  if (!isOver) doubts.push("Each alert that joins is weighed anew, and may change the summary above.");
  return doubts;
}
