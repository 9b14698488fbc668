import type { Knex } from "knex";

/** Checks that a check depends on, and alerts whose notifications are held back because of that. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE checks ADD COLUMN depends_on text[] NOT NULL DEFAULT '{}';
    COMMENT ON COLUMN checks.depends_on IS 'ids of checks of the team, never in a circle; those of deleted checks are taken out';

    CREATE TABLE held_alerts (
      instance_id text PRIMARY KEY REFERENCES alert_instances (id) ON DELETE CASCADE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      reason text NOT NULL,
      cause_instance_id text REFERENCES alert_instances (id) ON DELETE SET NULL,
      free_since timestamptz(3),
      has_ended boolean NOT NULL DEFAULT false
    );
    COMMENT ON TABLE held_alerts IS 'Alerts that nobody was notified of by themselves; the row goes when the notifications are sent';
    COMMENT ON COLUMN held_alerts.cause_instance_id IS 'the alert of the check that it depends on; null while none is known';
    COMMENT ON COLUMN held_alerts.free_since IS 'since when no check that it depends on fails any more; null while one does';
    COMMENT ON COLUMN held_alerts.has_ended IS 'the alert was over before anybody was notified';
    CREATE INDEX held_alerts_open ON held_alerts (instance_id) WHERE NOT has_ended;
    CREATE INDEX held_alerts_by_cause ON held_alerts (cause_instance_id) WHERE cause_instance_id IS NOT NULL;
  `);
}
