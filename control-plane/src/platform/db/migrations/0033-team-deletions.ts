import type { Knex } from "knex";

/** Teams that were deleted: fleets stop their checks at once, a job removes their records. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE team_deletions (
      team_id text PRIMARY KEY REFERENCES teams (id) ON DELETE CASCADE,
      deleted_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
      changed_xid xid8 NOT NULL DEFAULT pg_current_xact_id()
    );
    COMMENT ON TABLE team_deletions IS 'Teams whose records are being removed; the row goes with the last of them';
    COMMENT ON COLUMN team_deletions.changed_xid IS 'transaction of the deletion; fleets read from their horizon on';
    CREATE INDEX team_deletions_by_change ON team_deletions (changed_xid);
  `);
}
