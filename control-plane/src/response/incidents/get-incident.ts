import {
  type AlertInstanceSummary,
  type HypothesisWording,
  INCIDENT_MEMBERS_LISTED,
  type Incident,
  type IncidentEvent,
  type IncidentId,
  notFound,
} from "@svc/contract";
import { readHeldUnder } from "../../alerting/holds/store.ts";
import { summaryFromRow } from "../../alerting/instances/row.ts";
import { readInstancesById } from "../../alerting/instances/store.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { readIncidentEvents } from "./event-store.ts";
import { readMemberIds } from "./member-store.ts";
import { incidentFromRow } from "./row.ts";
import { findIncidentRow } from "./store.ts";
import { readWording } from "./wording-store.ts";

/**
 * An incident with its events, oldest first, and its oldest alerts, with those that are held back because of them; alerts of
 * deleted checks are left out.
 */
export interface IncidentDetail {
  incident: Incident;
  events: IncidentEvent[];
  alerts: AlertInstanceSummary[];
  /** The hypothesis in the words of a language model. */
  wording: HypothesisWording | null;
}

/**
 * Returns an incident of the team with its history and its alerts.
 * @throws DomainError `not_found`
 */
export async function getIncident(
  { services, teamId }: TeamContext,
  { id }: { id: IncidentId },
): Promise<IncidentDetail> {
  const { knex, publicUrl } = services;
  const row = await findIncidentRow(knex, teamId, id);
  if (!row) throw notFound("Incident");
  const members = await readMemberIds(knex, row.key);
  const held = await readHeldUnder(knex, {
    teamId,
    causeIds: members,
    incidentKey: row.key,
    limit: INCIDENT_MEMBERS_LISTED,
  });
  const alerts = await readInstancesById(knex, teamId, [...members, ...held]);
  return {
    incident: incidentFromRow(row, publicUrl()),
    events: await readIncidentEvents(knex, row),
    alerts: alerts.map(summaryFromRow),
    wording: (await readWording(knex, row.key)) ?? null,
  };
}
