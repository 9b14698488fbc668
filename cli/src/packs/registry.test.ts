import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { identifierOf } from "./backends/backend.ts";
import { labelOf } from "./backends/grafana.ts";
import { BACKENDS } from "./backends/registry.ts";
import { attributesOf, PACK_IDS, PACKS } from "./registry.ts";

const page = readFileSync(new URL("../../../docs/telemetry.md", import.meta.url), "utf8");
const documented = new Set([...page.matchAll(/`([a-z]+(?:\.[a-z0-9_]+)+)`/g)].map(([, name]) => name));

it("the packs are those that the command promises", () => {
  expect(PACK_IDS).toEqual([
    "overview",
    "deep-dive",
    "slo",
    "events",
    "performance-forensics",
    "third-party",
    "anomaly-insights",
    "tls-health",
  ]);
});

it.each(PACKS.map((pack) => [pack.id, pack] as const))(
  "%s uses only events and attributes that are exported",
  (_, pack) => {
    const used = [...attributesOf(pack), ...pack.panels.flatMap(({ events }) => events)];
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !documented.has(name))).toEqual([]);
  },
);

it.each(PACKS.map((pack) => [pack.id, pack] as const))(
  "%s: every Grafana panel asks for its own attributes, and none overlaps",
  (_, pack) => {
    const { panels, uid } = JSON.parse(BACKENDS.grafana.render(pack));
    expect(uid).toBe(identifierOf(pack));
    const cells = new Set<string>();
    panels.forEach(({ targets, gridPos: { x, y, w, h } }: never & Record<string, never>, i: number) => {
      const { expr } = (targets as { expr: string }[])[0] ?? { expr: "" };
      const panel = pack.panels[i];
      for (const attribute of panel ? attributesOf({ panels: [panel] }) : [])
        expect(expr).toContain(labelOf(attribute));
      for (let column = x; column < x + w; column++)
        for (let row = y; row < y + h; row++) {
          expect(cells.has(`${column},${row}`)).toBe(false);
          cells.add(`${column},${row}`);
        }
      expect(x + w).toBeLessThanOrEqual(24);
    });
  },
);

it.each(PACKS.map((pack) => [pack.id, pack] as const))(
  "%s: every reference of the Kibana file leads to an object of it",
  (_, pack) => {
    const objects = BACKENDS.kibana
      .render(pack)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const known = new Set(objects.map(({ type, id }) => `${type} ${id}`));
    const references = objects.flatMap((object) => object.references);
    expect(references.filter(({ type, id }) => !known.has(`${type} ${id}`))).toEqual([]);
    const fields = objects
      .flatMap(({ attributes }) => (attributes.visState ? JSON.parse(attributes.visState).aggs : []))
      .flatMap(({ params }) => params.field ?? []);
    expect(fields.filter((field: string) => field !== "@timestamp" && !documented.has(field))).toEqual([]);
    expect(objects.at(-1)).toMatchObject({ id: identifierOf(pack), type: "dashboard" });
  },
);
