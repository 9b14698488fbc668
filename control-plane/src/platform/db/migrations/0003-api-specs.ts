import type { Knex } from "knex";

/** OpenAPI documents that checks hold responses against. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE api_specs (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      source_type text NOT NULL CHECK (source_type IN ('upload', 'url')),
      source_url text,
      title text NOT NULL,
      version text NOT NULL,
      openapi_version text NOT NULL,
      operation_count integer NOT NULL,
      operations jsonb NOT NULL,
      content bytea NOT NULL,
      content_sha256 text NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3),
      CHECK ((source_type = 'url') = (source_url IS NOT NULL)),
      UNIQUE (team_id, name)
    );
    ALTER TABLE api_specs ALTER COLUMN content SET STORAGE EXTERNAL;
    CREATE INDEX api_specs_by_team ON api_specs (team_id, created_at DESC, id DESC);
    COMMENT ON COLUMN api_specs.content IS 'the document as compact JSON, gzip: compressed already';
    COMMENT ON COLUMN api_specs.content_sha256 IS 'of the compact JSON, hex: names this very document wherever it is cached';
  `);
}
