import type { Knex } from "knex";

/** The certificates of a team are listed by their expiry, which the views hold as JSON. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE tracked_certificates ADD COLUMN expires_at timestamptz(3);
    UPDATE tracked_certificates t SET expires_at =
      (SELECT to_timestamp(min((v.value ->> 'validToMs')::double precision) / 1000.0) FROM jsonb_each(t.views) v);
    COMMENT ON COLUMN tracked_certificates.expires_at IS 'earliest end of validity among the views; NULL: none was seen yet';
    CREATE INDEX tracked_certificates_by_expiry ON tracked_certificates (team_id, expires_at, check_key, host)
      WHERE expires_at IS NOT NULL;
  `);
}
