import type { Knex } from "knex";

/** Endpoints of the telemetry export whose URL holds credentials are stored sealed, beside the URL without them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE telemetry_settings ADD COLUMN endpoint_sealed bytea;
    COMMENT ON COLUMN telemetry_settings.endpoint IS 'without the credentials among its query parameters';
    COMMENT ON COLUMN telemetry_settings.endpoint_sealed IS 'the URL as it was given, sealed; null: it holds no credential';
  `);
}
