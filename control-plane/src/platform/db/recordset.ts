/**
 * Rows that go into one statement as one JSON parameter, `json_to_recordset(?)`. The columns are named once, with their
 * SQL types; the rows' properties are camelCase and the tables' columns snake_case, and the quoting of the former
 * happens here alone.
 */

/** A column of a recordset whose value is not stored as it is, or not under its name. */
export interface RecordColumn {
  /** Type that the JSON value is read as. */
  sqlType: string;
  /** The table's column. Default: the property in snake_case. */
  storedIn?: string;
  /** Returns the SQL of the value to store, e.g. a cast. Default: the value itself. */
  stored?: (column: string) => string;
}

/** Columns by property of the rows: their SQL type, or more. */
type RecordColumns = Readonly<Record<string, string | RecordColumn>>;

/** SQL of rows that are given as JSON. Each text is pure: the rows are bound as `JSON.stringify(rows)`. */
export interface Recordset<Columns extends RecordColumns> {
  /**
   * Returns the rows as an entry of a FROM list. Refer to their columns as `alias."teamId"`.
   * @param binding where the JSON is bound: `?` or `:name`
   */
  as: (alias: string, binding?: string) => string;
  /**
   * Returns `INSERT INTO table (...) SELECT ... FROM rows`, to which ON CONFLICT or RETURNING may be added. The rows
   * are called `u`.
   */
  insertInto: (table: string) => string;
  /**
   * Returns the rows like `as`, with a further column `ordinal`: the position of the row, from 1.
   * @param binding where the JSON is bound: `?` or `:name`
   */
  inOrder: (alias: string, binding?: string) => string;
  /** Returns `column = alias."property", ...` for SET, of all columns but the keys, by which the table's rows are found. */
  assignments: (alias: string, keys: readonly (keyof Columns & string)[]) => string;
}

/** A column that holds texts: an array in the rows and in the table. */
export const TEXT_ARRAY: RecordColumn = {
  sqlType: "jsonb",
  stored: (column) => `ARRAY(SELECT jsonb_array_elements_text(${column}))`,
};

/** A column that holds whole numbers: an array in the rows and in the table. */
export const INTEGER_ARRAY: RecordColumn = {
  sqlType: "jsonb",
  stored: (column) => `ARRAY(SELECT CAST(n AS integer) FROM jsonb_array_elements_text(${column}) AS e (n))`,
};

/** Returns a column of Unix ms in the rows that the table stores as a timestamp. */
export function millisecondsAs(storedIn: string): RecordColumn {
  return { sqlType: "bigint", storedIn, stored: (column) => `to_timestamp(${column} / 1000.0)` };
}

/** Defines a recordset by its columns. */
export function defineRecordset<const Columns extends RecordColumns>(columns: Columns): Recordset<Columns> {
  const stored = Object.entries(columns).map(([name, column]) => storedColumn(name, column));
  const definitions = stored.map(({ name, sqlType }) => `"${name}" ${sqlType}`).join(", ");
  const as = (alias: string, binding = "?") =>
    `json_to_recordset(CAST(${binding} AS json)) AS ${alias} (${definitions})`;
  return {
    as,
    insertInto: (table) => {
      const targets = stored.map(({ storedIn }) => storedIn).join(", ");
      const values = stored.map(({ name, value }) => value(`u."${name}"`)).join(", ");
      return `INSERT INTO ${table} (${targets}) SELECT ${values} FROM ${as("u")}`;
    },
    inOrder: (alias, binding = "?") =>
      `ROWS FROM (json_to_recordset(CAST(${binding} AS json)) AS (${definitions}))
       WITH ORDINALITY AS ${alias} (${stored.map(({ name }) => `"${name}"`).join(", ")}, ordinal)`,
    assignments: (alias, keys) =>
      stored
        .filter(({ name }) => !keys.includes(name))
        .map(({ name, storedIn, value }) => `${storedIn} = ${value(`${alias}."${name}"`)}`)
        .join(", "),
  };
}

function storedColumn(name: string, column: string | RecordColumn) {
  const { sqlType, storedIn, stored } = typeof column === "string" ? { sqlType: column } : column;
  return { name, sqlType, storedIn: storedIn ?? snakeCase(name), value: stored ?? ((sql: string) => sql) };
}

/** Returns `team_id` for `teamId`. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
