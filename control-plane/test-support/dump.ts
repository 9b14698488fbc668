/** The content of a database as text, like a dump of it, to search for what must not lie there. */
import type { Knex } from "knex";

/** Returns every row of every table, as PostgreSQL writes a row; bytes are hexadecimal. */
export async function dumpDatabase(knex: Knex): Promise<string> {
  const { rows: tables } = await knex.raw(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await knex.raw(`SELECT t::text AS row FROM ${name} t`);
    texts.push(...rows.map(({ row }: { row: string }) => row));
  }
  return texts.join("\n");
}

/** Returns those of the secrets that the dump shows: as they are, as hexadecimal bytes or as base64. */
export function findPlanted(dump: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => {
    const bytes = Buffer.from(secret);
    return [
      secret,
      bytes.toString("hex"),
      bytes.toString("base64").replace(/=+$/, ""),
      encodeURIComponent(secret),
    ].some((form) => dump.includes(form));
  });
}
