import type { Knex } from "knex";

/**
 * Incidents that were folded into another, and how retention finds those that are over; escalations that a mute kept from
 * being told.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE incidents ADD COLUMN merged_into text;
    COMMENT ON COLUMN incidents.merged_into IS 'the incident that its alerts were folded into: it turned out to be part of it';
    CREATE INDEX incidents_ended ON incidents ((coalesce(closed_at, resolved_at))) WHERE state IN ('resolved', 'closed');

    ALTER TABLE alert_instances ADD COLUMN has_untold_escalation boolean NOT NULL DEFAULT false;
    COMMENT ON COLUMN alert_instances.has_untold_escalation IS 'its severity rose while it was muted: told when the mute ends';
  `);
}
