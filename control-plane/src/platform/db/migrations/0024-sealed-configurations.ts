import type { Knex } from "knex";

/** Secrets of configurations and of the URLs of API specs are sealed. Rows from before are sealed by a job of the service. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    COMMENT ON COLUMN checks.config_secrets IS 'the fields of the configuration that hold secrets, sealed; they replace those of config when it is read';
    ALTER TABLE api_specs ADD COLUMN source_url_sealed bytea;
    COMMENT ON COLUMN api_specs.source_url IS 'without the credentials among its query parameters';
    COMMENT ON COLUMN api_specs.source_url_sealed IS 'the URL as it was given, sealed; null: it holds no credential';
  `);
}
