import type { Knex } from "knex";

/** Alerts that ended are kept for a time of their own; the retention job finds them here. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX alert_instances_ended ON alert_instances ((coalesce(recovered_at, resolved_at)))
      WHERE state IN ('recovered', 'resolved');
    CREATE INDEX notification_references_by_age ON notification_references (created_at);
  `);
}
