/** Rows of Uptime Kuma's database, a list of objects for each table, as its lists of monitors and notifications. Pure. */
import type { Item } from "../../item.ts";

/** The tables that are read, each with columns that all its rows have and rows of no other table. */
const COLUMNS = {
  monitor: ["accepted_statuscodes_json", "interval"],
  notification: ["is_default", "config"],
  monitorNotification: ["monitor_id", "notification_id"],
  monitorTag: ["monitor_id", "tag_id"],
  tag: ["name", "color", "created_date"],
  proxy: ["protocol", "host", "auth"],
} as const;
type Table = keyof typeof COLUMNS;

/** True for the rows of one of the tables. */
export function isTable(root: Item): boolean {
  return tableOf(root) !== undefined;
}

/** Returns the monitors, notifications and proxies in those files that are tables, in the form of Uptime Kuma's own lists. */
export function rowsOf(files: readonly Item[]): { monitors: Item[]; notifications: Item[]; proxies: Item[] } {
  const rowsIn = (table: Table) =>
    files
      .filter((file) => tableOf(file) === table)
      .flatMap((file) => {
        // Rows of other tables say nothing beside what is read here.
        if (table !== "monitor" && table !== "notification") file.settle();
        return file.items();
      });
  const tags = new Map(rowsIn("tag").map((tag) => [tag.get("id").text(), tag.get("name").text()]));
  const tagsOf = by(rowsIn("monitorTag"), (row) => ({
    name: tags.get(row.get("tag_id").text()),
    value: row.get("value").text(),
  }));
  const channelsOf = by(rowsIn("monitorNotification"), (row) => row.get("notification_id").value);
  const monitors = rowsIn("monitor").map((row) => {
    const id = row.get("id").text() ?? "";
    const { accepted_statuscodes_json: _, ...columns } = inCamelCase(row);
    return row.as({
      ...columns,
      accepted_statuscodes: jsonOf(row.get("accepted_statuscodes_json")),
      tags: tagsOf.get(id) ?? [],
      notificationIDList: channelsOf.get(id) ?? [],
    });
  });
  return { monitors, notifications: rowsIn("notification"), proxies: rowsIn("proxy") };
}

function tableOf(file: Item): Table | undefined {
  const [first] = file.items();
  const tables = Object.keys(COLUMNS) as Table[];
  return first && tables.find((table) => COLUMNS[table].every((column) => first.has(column)));
}

/** Collects values of rows by the monitor that each belongs to. */
function by(rows: readonly Item[], read: (row: Item) => unknown): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>();
  for (const row of rows) {
    const id = row.get("monitor_id").text() ?? "";
    const values = found.get(id);
    if (values) values.push(read(row));
    else found.set(id, [read(row)]);
  }
  return found;
}

/** Columns whose names Uptime Kuma's lists have as they are. */
const SAME_NAME =
  /^(?:dns_|docker_|basic_auth_|oauth_|bearer_token|ping_|remote_browser|accepted_statuscodes|user_id|created_)/;

/** Returns the columns under the names that Uptime Kuma's lists have for them. */
function inCamelCase(row: Item): Record<string, unknown> {
  return Object.fromEntries(
    row
      .entries()
      .map(([column, { value }]) => [
        SAME_NAME.test(column)
          ? column
          : column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
        value,
      ]),
  );
}

function jsonOf(item: Item): unknown {
  try {
    return JSON.parse(item.text() ?? "");
  } catch {
    return undefined;
  }
}
