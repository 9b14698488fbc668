import type { Knex } from "knex";

/** Pictures and videos of browser runs: their contents, each once per team, and which run has which. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE artifact_blobs (
      key uuid PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      sha256 bytea NOT NULL,
      bytes integer NOT NULL,
      content_type text NOT NULL,
      state text NOT NULL CHECK (state IN ('pending', 'stored', 'garbage')),
      used_at timestamptz NOT NULL DEFAULT now()
    );
    COMMENT ON TABLE artifact_blobs IS 'pending: being written; stored: may be shown; garbage: to be removed. The contents lie in the blob store';
    COMMENT ON COLUMN artifact_blobs.used_at IS 'when a run was last given it: it is not removed soon after';
    CREATE UNIQUE INDEX artifact_blobs_stored ON artifact_blobs (team_id, sha256) INCLUDE (bytes) WHERE state = 'stored';
    CREATE INDEX artifact_blobs_by_state ON artifact_blobs (state, used_at);

    CREATE TABLE artifacts (
      id text PRIMARY KEY,
      team_id text NOT NULL REFERENCES teams (id),
      check_key bigint NOT NULL,
      location_key integer NOT NULL,
      slot_ms bigint NOT NULL,
      blob_key uuid NOT NULL REFERENCES artifact_blobs (key),
      created_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (check_key, slot_ms, location_key, blob_key)
    );
    COMMENT ON TABLE artifacts IS 'One row per run and file; may be there before the result, or without one';
    CREATE INDEX artifacts_by_blob ON artifacts (blob_key);
    CREATE INDEX artifacts_by_slot ON artifacts (slot_ms);

    CREATE TABLE artifact_contents (
      blob_key uuid PRIMARY KEY,
      content bytea NOT NULL
    );
    COMMENT ON TABLE artifact_contents IS 'The blob store of services that keep artifacts in the database';
    ALTER TABLE artifact_contents ALTER COLUMN content SET STORAGE EXTERNAL;
  `);
}
