/**
 * Writes packs for Kibana: saved objects (a dashboard, its visualizations and searches, an index pattern) as the lines
 * of an import file, over log records that Elasticsearch stores in the OpenTelemetry layout: attributes by their own
 * names, `event_name` beside them.
 */

import type { Pack, Panel, Selection } from "../pack.ts";
import { type Backend, identifierOf } from "./backend.ts";

const INDEX = { id: "svc-logs", title: "logs-*" };
const COLUMNS = 48;
const TOP = 20;
const SERIES = 20;

interface SavedObject {
  id: string;
  type: string;
  attributes: object;
  references: { id: string; name: string; type: string }[];
}

/** Renders a pack as an import file, and installs the file by Kibana's saved objects API. */
export const kibana: Backend = {
  name: "Kibana",
  extension: "ndjson",
  render: (pack) =>
    objectsOf(pack)
      .map((object) => `${JSON.stringify(object)}\n`)
      .join(""),
  request(rendered, { token, overwrite }) {
    const form = new FormData();
    form.append("file", new Blob([rendered], { type: "application/x-ndjson" }), "svc.ndjson");
    return {
      path: `/api/saved_objects/_import${overwrite ? "?overwrite=true" : ""}`,
      init: {
        method: "POST",
        headers: { "kbn-xsrf": "svc", ...(token === undefined ? {} : { Authorization: `ApiKey ${token}` }) },
        body: form,
      },
    };
  },
  refusal(status, body) {
    if (status < 200 || status >= 300) return `it answered ${status}`;
    const answer = answerOf(body);
    if (answer?.success === true) return undefined;
    const kinds = new Set((answer?.errors ?? []).map(({ error }) => error?.type ?? "unknown"));
    // The index pattern is shared by all packs: an existing one is as good as ours.
    const isThere = (answer?.errors ?? []).some(({ id }) => id !== INDEX.id);
    if (!isThere && kinds.has("conflict")) return undefined;
    return kinds.has("conflict")
      ? "it is there already; --force replaces it"
      : `it refused: ${[...kinds].join(", ") || "no answer of Kibana's"}`;
  },
};

function objectsOf(pack: Pack): SavedObject[] {
  const parts = pack.panels.map((panel, index) => partOf(panel, `${identifierOf(pack)}-${index + 1}`));
  return [indexPattern(), ...parts, dashboardOf(pack, parts)];
}

function indexPattern(): SavedObject {
  return {
    id: INDEX.id,
    type: "index-pattern",
    attributes: { title: INDEX.title, name: "svc log records", timeFieldName: "@timestamp" },
    references: [],
  };
}

function partOf(panel: Panel, id: string): SavedObject {
  const kibanaSavedObjectMeta = { searchSourceJSON: JSON.stringify(searchOf(panel)) };
  const references = [
    { id: INDEX.id, name: "kibanaSavedObjectMeta.searchSourceJSON.index", type: "index-pattern" },
  ];
  const { title } = panel;
  if (panel.kind === "records") {
    const attributes = {
      title,
      columns: ["body.text", "severity_text"],
      sort: [["@timestamp", "desc"]],
      kibanaSavedObjectMeta,
    };
    return { id, type: "search", attributes, references };
  }
  const visState = JSON.stringify({ title, ...visualizationOf(panel) });
  return {
    id,
    type: "visualization",
    attributes: { title, visState, uiStateJSON: "{}", version: 1, kibanaSavedObjectMeta },
    references,
  };
}

/** Leaves out the choice of checks: readers narrow a dashboard down by its query bar. */
function searchOf({ events, where = {} }: Selection): object {
  const names = events.map((event) => `"${event}"`).join(" or ");
  const fixed = Object.entries(where).filter(([, value]) => !value.startsWith("$"));
  const query = [`event_name : (${names})`, ...fixed.map(([field, value]) => `${field} : "${value}"`)].join(
    " and ",
  );
  return {
    query: { query, language: "kuery" },
    filter: [],
    indexRefName: "kibanaSavedObjectMeta.searchSourceJSON.index",
  };
}

function visualizationOf(panel: Exclude<Panel, { kind: "records" }>): object {
  const count = { id: "1", enabled: true, type: "count", schema: "metric", params: {} };
  switch (panel.kind) {
    case "total":
      return {
        type: "metric",
        params: { addTooltip: true, addLegend: false, type: "metric" },
        aggs: [count],
      };
    case "top":
      return {
        type: "table",
        params: { perPage: 10, showTotal: false },
        aggs: [
          count,
          ...panel.by.map((field, i) => terms(`${i + 2}`, field, { schema: "bucket", size: TOP })),
        ],
      };
    case "count":
      return {
        type: "histogram",
        params: chart("histogram"),
        aggs: [count, overTime(), terms("3", panel.by, { schema: "group", size: SERIES })],
      };
    case "value":
      return {
        type: "line",
        params: chart("line"),
        aggs: [
          metricOf(panel),
          overTime(),
          terms("3", panel.by, { schema: "group", size: SERIES, orderBy: "_key" }),
        ],
      };
  }
}

function metricOf({ of, function: name }: Extract<Panel, { kind: "value" }>): object {
  const params = name === "p95" ? { field: of, percents: [95] } : { field: of };
  return { id: "1", enabled: true, type: name === "p95" ? "percentiles" : name, schema: "metric", params };
}

function overTime(): object {
  const params = { field: "@timestamp", interval: "auto", min_doc_count: 1, extended_bounds: {} };
  return { id: "2", enabled: true, type: "date_histogram", schema: "segment", params };
}

interface Grouping {
  schema: "bucket" | "group";
  /** Most groups that are shown. */
  size: number;
  /**
   * Order of the rows. `_key`: by the field's value, for percentiles, which Kibana can't sort by. Default: by the
   * metric.
   */
  orderBy?: "_key";
}

/** Returns an aggregation that groups by a field. */
function terms(id: string, field: string, grouping: Grouping): object {
  const { schema, size, orderBy = "1" } = grouping;
  const order = orderBy === "_key" ? "asc" : "desc";
  return { id, enabled: true, type: "terms", schema, params: { field, size, order, orderBy } };
}

function chart(type: "line" | "histogram"): object {
  return {
    type,
    addTooltip: true,
    addLegend: true,
    legendPosition: "right",
    categoryAxes: [
      {
        id: "CategoryAxis-1",
        type: "category",
        position: "bottom",
        show: true,
        scale: { type: "linear" },
        labels: { show: true },
      },
    ],
    valueAxes: [
      {
        id: "ValueAxis-1",
        name: "LeftAxis-1",
        type: "value",
        position: "left",
        show: true,
        scale: { type: "linear", mode: "normal" },
        labels: { show: true },
      },
    ],
    seriesParams: [
      {
        show: true,
        type,
        mode: type === "line" ? "normal" : "stacked",
        data: { id: "1", label: "" },
        valueAxis: "ValueAxis-1",
        showCircles: true,
      },
    ],
  };
}

function dashboardOf(pack: Pack, parts: readonly SavedObject[]): SavedObject {
  let [x, y] = [0, 0];
  const panels = pack.panels.map(({ kind }, i) => {
    const [w, h] = [kind === "total" ? 12 : kind === "records" ? 48 : 24, 15];
    if (x + w > COLUMNS) [x, y] = [0, y + h];
    const panelIndex = String(i + 1);
    const panel = {
      panelIndex,
      gridData: { x, y, w, h, i: panelIndex },
      embeddableConfig: {},
      panelRefName: `panel_${panelIndex}`,
    };
    x += w;
    return panel;
  });
  return {
    id: identifierOf(pack),
    type: "dashboard",
    attributes: {
      title: `svc: ${pack.title}`,
      description: pack.description,
      panelsJSON: JSON.stringify(panels),
      optionsJSON: JSON.stringify({ useMargins: true }),
      timeRestore: true,
      timeFrom: "now-6h",
      timeTo: "now",
      kibanaSavedObjectMeta: {
        searchSourceJSON: JSON.stringify({ query: { query: "", language: "kuery" }, filter: [] }),
      },
    },
    references: parts.map(({ id, type }, i) => ({ id, type, name: `panel_${i + 1}` })),
  };
}

interface ImportAnswer {
  success?: boolean;
  errors?: { id?: string; error?: { type?: string } }[];
}

function answerOf(body: string): ImportAnswer | undefined {
  try {
    return JSON.parse(body) as ImportAnswer;
  } catch {
    return undefined;
  }
}
