/** The access tables of docs/access.md as a test reads them. */
import { readFileSync } from "node:fs";

/** A row of an access table: the route or method, and the answer that each credential gets, by the column's title. */
export interface AccessRow {
  /** `GET /api/checks`, or the name of a method of the runners' port. */
  name: string;
  /** `yes`, `own`, `401`, `role`, `session` or `404`, by the credential. */
  answers: Readonly<Record<string, string>>;
}

/** Returns the rows of the table between the page's markers of this name. */
export function accessTable(name: "access-routes" | "access-runner-services"): AccessRow[] {
  const page = readFileSync(new URL("../../docs/access.md", import.meta.url), "utf8");
  const [, text = ""] =
    new RegExp(`<!-- generated:${name} -->\n(.*?)<!-- /generated -->`, "s").exec(page) ?? [];
  const [titles = [], , ...rows] = text
    .trim()
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows.map(([first = "", ...cells]) => ({
    name: first.replaceAll("`", ""),
    answers: Object.fromEntries(
      cells.map((cell, at) => [titles[at + 1], cell]).filter(([title]) => title !== "Access"),
    ),
  }));
}
