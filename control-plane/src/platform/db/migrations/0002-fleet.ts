import type { Knex } from "knex";

/** State of the fleet that replicas share: slots that a runner gave back, and since when a runner wants no more checks. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE runners ADD COLUMN not_accepting_since timestamptz(3), ADD COLUMN session_id text;
    COMMENT ON COLUMN runners.session_id IS 'the stream that holds the lease: the newest one of this runner';
    COMMENT ON COLUMN runners.not_accepting_since IS 'NULL: it accepts checks; else it keeps what it had then';

    CREATE TABLE given_back_slots (
      check_key bigint NOT NULL,
      location_key integer NOT NULL,
      slot_ms bigint NOT NULL,
      reason text NOT NULL,
      tried_runner_keys integer[] NOT NULL,
      run_until_ms bigint NOT NULL,
      changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      PRIMARY KEY (check_key, location_key, slot_ms)
    );
    COMMENT ON TABLE given_back_slots IS 'Slots that another runner shall run until run_until_ms; then they are missed';
    CREATE INDEX given_back_slots_by_change ON given_back_slots (changed_xid);
  `);
}
