import type { Knex } from "knex";
import { countingSql } from "./0019-team-usage.ts";

/** Rotas: people who are on duty in turn. Who is on duty at an instant is not stored, but worked out of the row. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE rotas (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      timezone text NOT NULL,
      starts_at timestamptz(3) NOT NULL,
      handover jsonb NOT NULL,
      members jsonb NOT NULL,
      overrides jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3)
    );
    COMMENT ON COLUMN rotas.starts_at IS 'the turn of this instant is the first member''s';
    COMMENT ON COLUMN rotas.members IS 'names with the ids of their channels, in the order of their turns';
    CREATE UNIQUE INDEX rotas_by_name ON rotas (team_id, name);
    CREATE INDEX rotas_by_team ON rotas (team_id, created_at DESC, key DESC);
  `);
  await knex.raw(countingSql({ table: "rotas", kind: "rotas" }));
}
