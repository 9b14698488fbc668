/**
 * Writes packs for Grafana: dashboards in its JSON model over Loki, which takes OTLP log records with attributes as
 * structured metadata.
 */

import type { Pack, Panel, Selection } from "../pack.ts";
import { type Backend, identifierOf } from "./backend.ts";

const COLUMNS = 24;
const SCHEMA_VERSION = 39;
const DATASOURCE = { type: "loki", uid: "$datasource" };
const UNITS = { ms: "ms", days: "d", ratio: "percentunit", score: "none" } as const;
const TOP = 20;

/** Renders a pack as one dashboard, and installs the dashboard by Grafana's HTTP API. */
export const grafana: Backend = {
  name: "Grafana",
  extension: "json",
  render: (pack) => `${JSON.stringify(dashboardOf(pack), null, 2)}\n`,
  request: (rendered, { token, overwrite }) => ({
    path: "/api/dashboards/db",
    init: {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ dashboard: JSON.parse(rendered), overwrite, message: "svc dashboards install" }),
    },
  }),
  refusal(status, body) {
    if (status >= 200 && status < 300) return undefined;
    if (status === 412) return "it is there already, or was changed there; --force replaces it";
    return `it answered ${status}${messageOf(body)}`;
  },
};

function dashboardOf(pack: Pack): object {
  let [x, y, id] = [0, 0, 0];
  const panels = pack.panels.map((panel) => {
    const { w, h } = sizeOf(panel);
    if (x + w > COLUMNS) [x, y] = [0, y + h];
    const gridPos = { x, y, w, h };
    x += w;
    id += 1;
    return { id, title: panel.title, datasource: DATASOURCE, gridPos, ...viewOf(panel) };
  });
  return {
    uid: identifierOf(pack),
    title: `svc: ${pack.title}`,
    description: pack.description,
    tags: ["svc"],
    schemaVersion: SCHEMA_VERSION,
    editable: true,
    timezone: "browser",
    refresh: "1m",
    time: { from: "now-6h", to: "now" },
    templating: { list: [datasourceVariable(), ...(pack.hasCheckFilter ? [checkVariable()] : [])] },
    panels,
  };
}

function sizeOf({ kind }: Panel): { w: number; h: number } {
  return kind === "total" ? { w: 6, h: 8 } : kind === "records" ? { w: 24, h: 8 } : { w: 12, h: 8 };
}

function viewOf(panel: Panel): object {
  const selected = selectorOf(panel);
  switch (panel.kind) {
    case "total":
      return view("stat", `sum(count_over_time(${selected} [$__range])) or vector(0)`, { isInstant: true });
    case "records":
      return {
        ...view("logs", selected),
        options: { showTime: true, wrapLogMessage: true, sortOrder: "Descending" },
      };
    case "top":
      return {
        ...view(
          "table",
          `topk(${TOP}, sum by (${panel.by.map(labelOf).join(", ")}) (count_over_time(${selected} [$__range])))`,
          {
            isInstant: true,
          },
        ),
        transformations: [{ id: "organize", options: { excludeByName: { Time: true } } }],
      };
    case "count":
      return view("timeseries", `sum by (${labelOf(panel.by)}) (count_over_time(${selected} [$__auto]))`, {
        legend: panel.by,
        defaults: { custom: { drawStyle: "bars", fillOpacity: 60, stacking: { mode: "normal" } } },
      });
    case "value":
      return view("timeseries", valueQuery(panel, selected), {
        legend: panel.by,
        defaults: { unit: UNITS[panel.unit] },
      });
  }
}

function view(
  type: string,
  expr: string,
  {
    isInstant = false,
    legend,
    defaults = {},
  }: { isInstant?: boolean; legend?: string; defaults?: object } = {},
): object {
  return {
    type,
    fieldConfig: { defaults, overrides: [] },
    targets: [
      {
        refId: "A",
        datasource: DATASOURCE,
        expr,
        queryType: isInstant ? "instant" : "range",
        ...(legend === undefined ? {} : { legendFormat: `{{${labelOf(legend)}}}` }),
        ...(isInstant && type === "table" ? { format: "table" } : {}),
      },
    ],
  };
}

function valueQuery({ of, function: name, by }: Extract<Panel, { kind: "value" }>, selected: string): string {
  const range = `${selected} | unwrap ${labelOf(of)} | __error__="" [$__auto]`;
  const over = name === "p95" ? `quantile_over_time(0.95, ${range})` : `${name}_over_time(${range})`;
  return `${over} by (${labelOf(by)})`;
}

function selectorOf({ events, where = {} }: Selection): string {
  const names =
    events.length === 1
      ? `event_name="${events[0]}"`
      : `event_name=~"${events.join("|").replaceAll(".", "\\\\.")}"`;
  const filters = Object.entries(where).map(
    ([attribute, value]) => ` | ${labelOf(attribute)}${value.startsWith("$") ? "=~" : "="}"${value}"`,
  );
  return `{service_name="synthetics"} | ${names}${filters.join("")}`;
}

/** Returns Loki's name of an attribute. */
export function labelOf(attribute: string): string {
  return attribute.replaceAll(/[^a-zA-Z0-9_]/g, "_");
}

function datasourceVariable(): object {
  return { name: "datasource", label: "Loki", type: "datasource", query: "loki", hide: 0 };
}

function checkVariable(): object {
  const all = { text: ".+", value: ".+" };
  return {
    name: "check",
    label: "Monitor (regular expression)",
    type: "textbox",
    query: ".+",
    current: all,
    options: [all],
  };
}

function messageOf(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    return typeof message === "string" ? `: ${message}` : "";
  } catch {
    return "";
  }
}
