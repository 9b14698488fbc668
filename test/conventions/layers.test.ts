/** The maps of packages and layers in docs/architecture.md say what `.dependency-cruiser.cjs` holds. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../harness/control-plane.ts";

interface Rule {
  name: string;
  comment?: string;
}

const { forbidden } = createRequire(import.meta.url)(join(ROOT, ".dependency-cruiser.cjs")) as {
  forbidden: Rule[];
};
const PAGE = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");

/** Returns the rows of the page's table with this title, as their cells. */
function rowsOf(title: string): string[][] {
  const table = PAGE.slice(PAGE.indexOf(title)).split("\n\n")[0] ?? "";
  return table
    .split("\n")
    .slice(2)
    .map((row) => row.split("|").map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));
}

/** Returns what each rule with this ending allows, by the rest of the rule's name. */
function allowedBy(ending: string): Record<string, string> {
  return Object.fromEntries(
    forbidden
      .filter(({ name }) => name.endsWith(ending))
      .map(({ name, comment = "" }) => [
        name.slice(0, -ending.length),
        /may import only: ([^.]*)/.exec(comment)?.[1] ?? "",
      ]),
  );
}

it("the map of layers is that of the rules", () => {
  const documented: Record<string, string> = {};
  for (const [name, layers = ""] of rowsOf("| Package | Layers of")) {
    const lower: string[] = [];
    for (const folders of layers.split(", ").map((layer) => layer.split(" + "))) {
      for (const folder of folders) documented[`${name}-${folder}`] = [...lower, folder].join(", ");
      lower.push(...folders);
    }
  }
  expect(documented).toEqual(allowedBy("-imports-no-layer-above"));
});

it("the control plane's layers are explained in their order", () => {
  const [, layers = ""] = rowsOf("| Package | Layers of").find(([name]) => name === "control-plane") ?? [];
  const block = /^```\n([\s\S]*?)^```/m.exec(PAGE)?.[1] ?? "";
  const explained = block
    .trim()
    .split("\n")
    .map((line) => line.split(" ")[0]);
  expect(explained).toEqual(layers.split(", "));
});

it("the map of packages is that of the rules", () => {
  const documented = rowsOf("| Folder | Holds").map(([folder = "", , imports = ""]) => [
    /`([\w-]+)\/`/.exec(folder)?.[1] ?? "",
    imports === "-" ? "nothing of ours" : imports,
  ]);
  const allowed = allowedBy("-imports-only");
  expect(Object.fromEntries(documented.filter(([name = ""]) => name in allowed))).toEqual(allowed);
});
