/** SQL by which the evaluation reads the checks whose rules it judges. */
import type { LocationId } from "@svc/contract";
import type { Knex } from "knex";
import { queryRows } from "../../platform/db/rows.ts";
import { ALERT_CHECK_COLUMNS, type AlertCheck, JOIN_SCHEDULE_IN_FORCE } from "../inputs/alert-check.ts";
import type { Confirmation, OpenInstance } from "./transitions.ts";

/** A check with its open instances, its pending confirmations and its locations' names. */
export interface CheckToJudge {
  check: AlertCheck;
  open: OpenInstance[];
  confirmations: Confirmation[];
  /** Locations that include all that the check runs from. */
  locations: NamedLocation[];
}

/** A location as evaluations refer to it: `key` in results, `id` and `name` in alerts. */
export interface NamedLocation {
  key: number;
  id: LocationId;
  name: string;
}

/**
 * Returns the checks with these keys, in no particular order; deleted ones are missing. One statement for everything,
 * because the transaction that asks holds locks.
 */
export async function readChecksToJudge(db: Knex, checkKeys: readonly number[]): Promise<CheckToJudge[]> {
  const rows = await queryRows<
    AlertCheck & { [Part in "open" | "confirmations" | "locations"]: string | null }
  >(
    db,
    `WITH asked AS MATERIALIZED (SELECT unnest(?::bigint[]) AS key)
     SELECT ${ALERT_CHECK_COLUMNS},
       (SELECT json_agg(json_build_object('id', i.id, 'ruleKey', i.rule_key, 'checkKey', i.check_key, 'state', i.state,
           'severity', i.severity, 'startedAtMs', (extract(epoch FROM i.started_at) * 1000)::bigint,
           'wasAnnounced', i.was_announced, 'mutedBy', i.muted_by,
           'isHeld', EXISTS (SELECT FROM held_alerts h WHERE h.instance_id = i.id),
           'hasUnannouncedEscalation', i.has_untold_escalation,
           'triggeringTraceId', i.triggering_trace_id, 'context', i.context))::text
        FROM alert_instances i WHERE i.check_key = c.key AND i.state IN ('active', 'acknowledged')) AS open,
       (SELECT json_agg(json_build_object('ruleKey', f.rule_key, 'checkKey', f.check_key, 'slotMs', f.slot_ms,
           'locationKey', f.location_key, 'firstSlotMs', f.first_slot_ms, 'firstLocationKey', f.first_location_key,
           'firstRunnerKey', f.first_runner_key, 'expiresAtMs', (extract(epoch FROM f.expires_at) * 1000)::bigint))::text
        FROM alert_confirmations f WHERE f.check_key = c.key) AS confirmations,
       (SELECT json_agg(json_build_object('key', l.key, 'id', l.id, 'name', l.display_name))::text
        FROM locations l WHERE l.key = ANY(r.location_keys)) AS locations
     FROM asked JOIN checks c ON c.key = asked.key ${JOIN_SCHEDULE_IN_FORCE}`,
    [`{${checkKeys.join(",")}}`],
  );
  return rows.map(({ open, confirmations, locations, ...check }) => ({
    check,
    open: parsed<OpenInstance>(open),
    confirmations: parsed<Confirmation>(confirmations),
    locations: parsed<NamedLocation>(locations),
  }));
}

function parsed<Item>(json: string | null): Item[] {
  return json === null ? [] : (JSON.parse(json) as Item[]);
}
