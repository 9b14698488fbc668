/** The packs. A test compares the attributes that they name with those that docs/telemetry.md says are exported. */
import type { TelemetryEventName } from "@svc/contract";
import type { Pack, Panel } from "./pack.ts";

const CHECK = "synthetics.check.name";
const LOCATION = "synthetics.location.name";
const STATUS = "synthetics.check.status";
const SLO = "synthetics.slo.name";
const HOST = "server.address";

const completed = { events: ["synthetics.check.completed"] } as const;
const failed = { events: ["synthetics.check.failed"] } as const;
const steps = { events: ["synthetics.step.completed"] } as const;
const correlations = { events: ["synthetics.correlation.detected"] } as const;
const budget = { events: ["synthetics.slo.budget.warning"] } as const;
const expiring = { events: ["synthetics.tls.expiring_soon"] } as const;
const changed = { events: ["synthetics.tls.certificate_changed"] } as const;
const observed = { events: ["synthetics.tls.certificate_observed"] } as const;
const deployments = { events: ["synthetics.deployment.created"] } as const;
const alerts = { events: ["synthetics.alert.state_changed"] } as const;
const triggered = { ...alerts, where: { "synthetics.alert.event_type": "triggered" } } as const;
const drift = { events: ["synthetics.mcp.schema_drift"] } as const;
const incidents = {
  events: [
    "synthetics.incident.opened",
    "synthetics.incident.severity_changed",
    "synthetics.incident.acknowledged",
    "synthetics.incident.auto_resolved",
    "synthetics.incident.closed",
    "synthetics.incident.reopened",
  ] satisfies TelemetryEventName[],
} as const;
const maintenance = {
  events: ["synthetics.maintenance_window.started", "synthetics.maintenance_window.ended"],
} as const;

const PHASES = [
  ["DNS lookup", "synthetics.timing.dns_lookup_ms"],
  ["TCP connect", "synthetics.timing.tcp_connect_ms"],
  ["TLS handshake", "synthetics.timing.tls_handshake_ms"],
  ["Time to first byte", "synthetics.timing.ttfb_ms"],
  ["Content transfer", "synthetics.timing.content_transfer_ms"],
] as const;

interface Durations extends Partial<Pick<Panel, "events" | "where">> {
  /** The attribute with the duration, ms. */
  of: string;
  by: string;
}

/** Returns a panel of the 95th percentile of a duration; without `events`, that of completed runs. */
const p95 = (title: string, durations: Durations): Panel => ({
  ...completed,
  ...durations,
  kind: "value",
  title,
  function: "p95",
  unit: "ms",
});
const ofCheck = { ...completed, where: { [CHECK]: "$check" } } as const;
const failuresOfCheck = { ...failed, where: { [CHECK]: "$check" } } as const;

/** All packs, in the order in which they are listed. */
export const PACKS: readonly Pack[] = [
  {
    id: "overview",
    title: "Overview",
    description: "How all monitors stand.",
    hasCheckFilter: false,
    panels: [
      { ...completed, kind: "total", title: "Runs" },
      { ...failed, kind: "total", title: "Failed runs" },
      { ...triggered, kind: "total", title: "Alerts" },
      { ...incidents, events: ["synthetics.incident.opened"], kind: "total", title: "Incidents" },
      { ...completed, kind: "count", title: "Runs by status", by: STATUS },
      p95("Response time by monitor, p95", { of: "synthetics.response_time_ms", by: CHECK }),
      { ...failed, kind: "top", title: "Failing monitors", by: [CHECK, "error.type"] },
      { ...failed, kind: "records", title: "Newest failures" },
    ],
  },
  {
    id: "deep-dive",
    title: "Deep dive",
    description: "One monitor in detail: status, locations, phases, steps, failures.",
    hasCheckFilter: true,
    panels: [
      { ...ofCheck, kind: "count", title: "Runs by status", by: STATUS },
      p95("Response time by location, p95", { ...ofCheck, of: "synthetics.response_time_ms", by: LOCATION }),
      ...PHASES.map(([title, attribute]) =>
        p95(`${title} by location, p95`, { ...ofCheck, of: attribute, by: LOCATION }),
      ),
      { ...ofCheck, kind: "count", title: "Status codes", by: "http.response.status_code" },
      { ...failuresOfCheck, kind: "top", title: "Failures", by: [LOCATION, "error.type"] },
      p95("Steps, p95", {
        ...steps,
        where: { [CHECK]: "$check" },
        of: "synthetics.step.duration_ms",
        by: "synthetics.step.name",
      }),
      { ...failuresOfCheck, kind: "records", title: "Newest failures" },
    ],
  },
  {
    id: "slo",
    title: "SLOs",
    description: "Error budgets and the pace at which they are spent.",
    hasCheckFilter: false,
    panels: [
      { ...budget, kind: "total", title: "Burn-rate warnings" },
      { ...budget, kind: "count", title: "Warnings by SLO", by: SLO },
      {
        ...budget,
        kind: "value",
        title: "Burn rate, long window",
        of: "synthetics.slo.burn_rate.long",
        function: "max",
        by: SLO,
        unit: "score",
      },
      {
        ...budget,
        kind: "value",
        title: "Budget consumed",
        of: "synthetics.slo.budget.consumed_ratio",
        function: "max",
        by: SLO,
        unit: "ratio",
      },
      {
        ...budget,
        kind: "top",
        title: "Warnings by SLO and indicator",
        by: [SLO, "synthetics.slo.sli_type"],
      },
      { ...budget, kind: "records", title: "Newest warnings" },
    ],
  },
  {
    id: "events",
    title: "Events",
    description: "What happened: alerts, incidents, deployments, maintenance.",
    hasCheckFilter: false,
    panels: [
      { ...alerts, kind: "count", title: "Alerts by event", by: "synthetics.alert.event_type" },
      {
        ...triggered,
        kind: "top",
        title: "Alert rules",
        by: ["synthetics.alert.rule_name", "synthetics.alert.severity"],
      },
      { ...incidents, kind: "count", title: "Incidents by state", by: "synthetics.incident.state" },
      { ...incidents, kind: "records", title: "Incidents" },
      {
        ...deployments,
        kind: "top",
        title: "Deployments",
        by: ["synthetics.deployment.service", "synthetics.deployment.version"],
      },
      { ...maintenance, kind: "records", title: "Maintenance" },
      { ...alerts, kind: "records", title: "Alerts" },
    ],
  },
  {
    id: "performance-forensics",
    title: "Performance forensics",
    description: "Where the time goes: phases by monitor, beside deployments.",
    hasCheckFilter: false,
    panels: [
      p95("Response time by monitor, p95", { of: "synthetics.response_time_ms", by: CHECK }),
      p95("Response time by location, p95", { of: "synthetics.response_time_ms", by: LOCATION }),
      ...PHASES.map(([title, attribute]) => p95(`${title} by monitor, p95`, { of: attribute, by: CHECK })),
      p95("Steps, p95", { ...steps, of: "synthetics.step.duration_ms", by: "synthetics.step.name" }),
      { ...deployments, kind: "records", title: "Deployments" },
    ],
  },
  {
    id: "third-party",
    title: "Third parties",
    description:
      "Dependencies on which several monitors fail at once, and how the MCP servers of others change.",
    hasCheckFilter: false,
    panels: [
      { ...correlations, kind: "total", title: "Shared dependencies that failed" },
      { ...correlations, kind: "count", title: "By dependency", by: "synthetics.correlation.dependency" },
      {
        ...correlations,
        kind: "value",
        title: "Monitors that fail on it",
        of: "synthetics.correlation.check_count",
        function: "max",
        by: "synthetics.correlation.dependency",
        unit: "score",
      },
      { ...drift, kind: "top", title: "MCP servers that changed", by: [CHECK] },
      { ...correlations, kind: "records", title: "Correlations" },
      { ...drift, kind: "records", title: "Changes of MCP servers" },
    ],
  },
  {
    id: "anomaly-insights",
    title: "Anomalies",
    description:
      "What is out of the ordinary: slowest runs, kinds of errors, severities, hypotheses of incidents.",
    hasCheckFilter: false,
    panels: [
      {
        ...completed,
        kind: "value",
        title: "Slowest runs",
        of: "synthetics.response_time_ms",
        function: "max",
        by: CHECK,
        unit: "ms",
      },
      { ...failed, kind: "count", title: "Failures by kind of error", by: "error.type" },
      { ...triggered, kind: "count", title: "Alerts by severity", by: "synthetics.alert.severity" },
      { ...failed, kind: "top", title: "Where it fails", by: [LOCATION, CHECK] },
      {
        events: ["synthetics.incident.opened"],
        kind: "top",
        title: "What is thought to be the cause",
        by: ["synthetics.incident.hypothesis.summary"],
      },
      { ...triggered, kind: "records", title: "Alerts" },
    ],
  },
  {
    id: "tls-health",
    title: "TLS health",
    description: "Certificates: expiry, changes, trust, protocol versions.",
    hasCheckFilter: false,
    panels: [
      { ...expiring, kind: "total", title: "Expiry warnings" },
      { ...changed, kind: "total", title: "Changed certificates" },
      {
        ...expiring,
        kind: "value",
        title: "Days left when warned",
        of: "synthetics.tls.days_left",
        function: "min",
        by: HOST,
        unit: "days",
      },
      {
        ...observed,
        kind: "top",
        title: "Protocols and ciphers",
        by: [HOST, "tls.protocol.version", "tls.cipher"],
      },
      { ...observed, kind: "top", title: "Issuers", by: ["tls.server.issuer"] },
      {
        ...observed,
        where: { "synthetics.tls.trusted": "false" },
        kind: "top",
        title: "Not trusted",
        by: [HOST],
      },
      { ...changed, kind: "records", title: "Changes" },
      { ...expiring, kind: "records", title: "Expiring" },
    ],
  },
];

/** Ids of the packs, as `--packs` takes them. */
export const PACK_IDS = PACKS.map(({ id }) => id);

/** Returns every attribute that the panels name. */
export function attributesOf({ panels }: Pick<Pack, "panels">): string[] {
  return panels.flatMap((panel) => [
    ...Object.keys(panel.where ?? {}),
    ...(panel.kind === "value" ? [panel.of, panel.by] : []),
    ...(panel.kind === "count" ? [panel.by] : []),
    ...(panel.kind === "top" ? panel.by : []),
  ]);
}
