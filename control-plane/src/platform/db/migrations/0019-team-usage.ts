import type { Knex } from "knex";

/** A table whose rows count towards what a team stores. */
export interface CountedTable {
  table: string;
  /** Name in `team_usage`. */
  kind: string;
  /** Column with a row's bytes, where these count. */
  bytes?: string;
  /** Condition for a row to count; default: every row. */
  living?: string;
}

const COUNTED: readonly CountedTable[] = [
  { table: "checks", kind: "checks", bytes: "stored_bytes" },
  { table: "check_labels", kind: "labels" },
  { table: "alert_rules", kind: "alert_rules", living: "deleted_at IS NULL" },
  { table: "notification_channels", kind: "channels", bytes: "stored_bytes" },
  { table: "slos", kind: "slos" },
  { table: "maintenance_windows", kind: "maintenance_windows", living: "deleted_at IS NULL" },
  { table: "maintenance_window_checks", kind: "maintenance_window_checks" },
  { table: "locations", kind: "locations", living: "deleted_at IS NULL" },
  { table: "api_keys", kind: "api_keys" },
  { table: "api_specs", kind: "specs", bytes: "stored_bytes" },
  { table: "deploy_baselines", kind: "deploy_baselines", bytes: "stored_bytes" },
  { table: "deployments", kind: "deployments" },
  { table: "incident_notes", kind: "incident_notes" },
];

/**
 * What each team stores, added up by triggers: one row per statement that adds or removes records, in its transaction.
 * Rows of a team and kind are added up into one now and then. Sizes are columns of the records, computed when they change.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE team_usage (
      key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      team_id text NOT NULL,
      kind text NOT NULL,
      record_count bigint NOT NULL,
      byte_count bigint NOT NULL,
      xid xid8 NOT NULL DEFAULT pg_current_xact_id()
    );
    COMMENT ON TABLE team_usage IS 'What teams store, as differences: the sum over the rows of a team and kind counts. No foreign key: the rows of a team that is deleted are cleared away later';
    CREATE INDEX team_usage_by_team ON team_usage (team_id, kind);

    ALTER TABLE checks ADD COLUMN stored_bytes integer NOT NULL
      GENERATED ALWAYS AS (octet_length(config::text) + coalesce(octet_length(config_secrets), 0)) STORED;
    ALTER TABLE notification_channels ADD COLUMN stored_bytes integer NOT NULL
      GENERATED ALWAYS AS (octet_length(config) + coalesce(octet_length(incident_template::text), 0)) STORED;
    ALTER TABLE api_specs ADD COLUMN stored_bytes integer NOT NULL
      GENERATED ALWAYS AS (octet_length(operations::text) + octet_length(content)) STORED;
    ALTER TABLE deploy_baselines ADD COLUMN stored_bytes integer NOT NULL
      GENERATED ALWAYS AS (octet_length(resources::text)) STORED;

    ALTER TABLE check_labels ADD COLUMN team_id text;
    UPDATE check_labels SET team_id = (SELECT team_id FROM checks WHERE key = check_key);
    ALTER TABLE maintenance_window_checks ADD COLUMN team_id text;
    UPDATE maintenance_window_checks SET team_id = (SELECT team_id FROM maintenance_windows WHERE key = window_key);
    ALTER TABLE incident_notes ADD COLUMN team_id text;
    UPDATE incident_notes SET team_id = (SELECT team_id FROM incidents WHERE key = incident_key);
  `);
  for (const counted of COUNTED) await knex.raw(countingSql(counted));
}

/** Returns the triggers that count a table's rows, and the statement that counts those that are there. */
export function countingSql({ table, kind, bytes = "0", living = "true" }: CountedTable): string {
  const added = (rows: string, sign: string) =>
    `INSERT INTO team_usage (team_id, kind, record_count, byte_count)
       SELECT team_id, '${kind}', ${sign}count(*), ${sign}sum(${bytes}) FROM ${rows}
       WHERE team_id IS NOT NULL AND ${living} GROUP BY team_id`;
  const of = (row: string, expression: string) =>
    expression.replace(/\b(deleted_at|stored_bytes)\b/g, `${row}.$1`);
  const countOf = (row: string) => `(CASE WHEN ${of(row, living)} THEN 1 ELSE 0 END)`;
  const bytesOf = (row: string) => `(CASE WHEN ${of(row, living)} THEN ${of(row, bytes)} ELSE 0 END)`;
  const isCountChangedByUpdate = living !== "true" || bytes !== "0";
  return `
    CREATE FUNCTION count_added_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN ${added("added", "")}; RETURN NULL; END $$;
    CREATE FUNCTION count_removed_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN ${added("removed", "-")}; RETURN NULL; END $$;
    CREATE TRIGGER ${table}_added AFTER INSERT ON ${table} REFERENCING NEW TABLE AS added
      FOR EACH STATEMENT EXECUTE FUNCTION count_added_${table}();
    CREATE TRIGGER ${table}_removed AFTER DELETE ON ${table} REFERENCING OLD TABLE AS removed
      FOR EACH STATEMENT EXECUTE FUNCTION count_removed_${table}();
    ${
      isCountChangedByUpdate
        ? `CREATE FUNCTION count_changed_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.team_id IS NOT NULL THEN
          INSERT INTO team_usage (team_id, kind, record_count, byte_count)
            VALUES (NEW.team_id, '${kind}', ${countOf("NEW")} - ${countOf("OLD")}, ${bytesOf("NEW")} - ${bytesOf("OLD")});
        END IF;
        RETURN NULL;
      END $$;
    CREATE TRIGGER ${table}_changed AFTER UPDATE ON ${table} FOR EACH ROW
      WHEN (${countOf("NEW")} <> ${countOf("OLD")} OR ${bytesOf("NEW")} <> ${bytesOf("OLD")})
      EXECUTE FUNCTION count_changed_${table}();`
        : ""
    }
    ${added(table, "")};`;
}
