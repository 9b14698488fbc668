import type { Knex } from "knex";

/** The tools that the MCP server of a check offered; the check's next runs are compared with them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE mcp_baselines (
      check_key bigint PRIMARY KEY,
      observed_at_ms bigint,
      surface jsonb
    );
    COMMENT ON TABLE mcp_baselines IS 'One row per check that reported its server''s tools; without a surface while the first result is stored';
    COMMENT ON COLUMN mcp_baselines.observed_at_ms IS 'start of the newest run that reported it: older ones change nothing';
  `);
}
