import type { Knex } from "knex";
import { countingSql } from "./0019-team-usage.ts";

/** Alert policies: one alert rule for every check that has certain labels. Each such check has a rule that follows the policy. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE alert_policies (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      team_id text NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name text NOT NULL,
      labels text[] NOT NULL,
      enabled boolean NOT NULL,
      conditions jsonb NOT NULL,
      channel_ids text[] NOT NULL,
      confirm boolean NOT NULL,
      recovery_successes integer NOT NULL,
      revision integer NOT NULL DEFAULT 1,
      is_applied boolean NOT NULL DEFAULT false,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3),
      deleted_at timestamptz(3)
    );
    COMMENT ON COLUMN alert_policies.revision IS 'counts the changes of the policy; its rules say which one they follow';
    COMMENT ON COLUMN alert_policies.is_applied IS 'all its rules follow the newest revision';
    COMMENT ON COLUMN alert_policies.deleted_at IS 'the row stays until its rules have ended';
    CREATE UNIQUE INDEX alert_policies_by_name ON alert_policies (team_id, name) WHERE deleted_at IS NULL;
    CREATE INDEX alert_policies_by_team ON alert_policies (team_id, created_at DESC, key DESC);
    CREATE INDEX alert_policies_by_channel ON alert_policies USING gin (channel_ids);
    CREATE INDEX alert_policies_to_apply ON alert_policies (key) WHERE NOT is_applied;

    ALTER TABLE alert_rules ADD COLUMN policy_key bigint REFERENCES alert_policies (key) ON DELETE SET NULL;
    ALTER TABLE alert_rules ADD COLUMN policy_revision integer;
    COMMENT ON COLUMN alert_rules.policy_key IS 'the alert policy that generated the rule; NULL: none did';
    COMMENT ON COLUMN alert_rules.policy_revision IS 'the revision of the policy that the rule follows; a deleted rule of the newest one stands for a check that can have none';
    CREATE UNIQUE INDEX alert_rules_by_policy ON alert_rules (policy_key, check_key);
    CREATE INDEX alert_rules_ending ON alert_rules (key) WHERE deleted_at IS NOT NULL AND channel_ids <> '{}';
    CREATE INDEX check_labels_by_label ON check_labels (team_id, label, check_key);
  `);
  await knex.raw(
    countingSql({ table: "alert_policies", kind: "alert_policies", living: "deleted_at IS NULL" }),
  );
}
