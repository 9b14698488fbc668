import type { Knex } from "knex";
import { countingSql } from "./0019-team-usage.ts";

/** Status pages: which checks they show under which names, and the notices that people write for them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE status_pages (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      slug text NOT NULL,
      title text NOT NULL,
      description text NOT NULL,
      is_published boolean NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3)
    );
    CREATE UNIQUE INDEX status_pages_by_slug ON status_pages (slug);
    CREATE INDEX status_pages_by_team ON status_pages (team_id, created_at DESC, key DESC);

    CREATE TABLE status_page_components (
      page_key bigint NOT NULL REFERENCES status_pages (key) ON DELETE CASCADE,
      position integer NOT NULL,
      name text NOT NULL,
      check_key bigint REFERENCES checks (key) ON DELETE CASCADE,
      labels text[],
      PRIMARY KEY (page_key, position),
      CHECK ((check_key IS NULL) <> (labels IS NULL))
    );
    COMMENT ON TABLE status_page_components IS 'A component stands for one check, or for all that have its labels';
    CREATE INDEX status_page_components_by_check ON status_page_components (check_key);

    CREATE TABLE status_notices (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      page_key bigint NOT NULL REFERENCES status_pages (key) ON DELETE CASCADE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      kind text NOT NULL CHECK (kind IN ('incident', 'maintenance')),
      title text NOT NULL,
      impact text CHECK (impact IN ('none', 'degraded', 'outage')),
      components text[] NOT NULL,
      starts_at timestamptz(3) NOT NULL,
      ends_at timestamptz(3),
      updates jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3)
    );
    COMMENT ON COLUMN status_notices.components IS 'names; one that the page has no more stays as history';
    COMMENT ON COLUMN status_notices.updates IS 'status, text and instant of each, the oldest first';
    CREATE INDEX status_notices_by_page ON status_notices (page_key, created_at DESC, key DESC);
    CREATE INDEX status_notices_by_start ON status_notices (page_key, starts_at DESC);
    CREATE INDEX status_notices_by_team ON status_notices (team_id);
  `);
  await knex.raw(countingSql({ table: "status_pages", kind: "status_pages" }));
  await knex.raw(countingSql({ table: "status_notices", kind: "status_notices" }));
}
