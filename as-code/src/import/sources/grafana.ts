/** Grafana Synthetic Monitoring: the list of its checks. */
import { proberDns, proberGrpc, proberPing, proberTcp } from "../carry/prober-checks.ts";
import { proberAssertions, proberAuth, proberProxy } from "../carry/prober-http.ts";
import type { DraftMonitor, ImportDraft } from "../draft.ts";
import { defineImportSource } from "../import-source.ts";
import type { Item } from "../item.ts";

/** Kinds of checks whose script is one for k6. */
const SCRIPTED = new Set(["scripted", "browser"]);

/** Grafana Synthetic Monitoring's list of checks, with the list of its probes. */
export const grafana = defineImportSource({
  type: "grafana",
  title: "Grafana Synthetic Monitoring",
  expects: "the JSON list of the checks of Grafana Synthetic Monitoring, and beside it that of the probes",
  recognises: (root) => checksOf(root).some(isCheck) || probesOf(root).some(isProbe),
  convert(roots, draft) {
    const probes = new Map(
      roots
        .flatMap(probesOf)
        .filter(isProbe)
        .map((probe) => {
          probe.settle();
          return [probe.get("id").text() ?? "", probe.get("name").text() ?? ""];
        }),
    );
    for (const root of roots)
      for (const check of checksOf(root).filter((one) => !isProbe(one))) addCheck(check, { draft, probes });
  },
});

function checksOf(root: Item): Item[] {
  const list = root.get("checks");
  if (list.isGiven()) return list.items();
  return root.get("settings").isGiven() ? [root] : root.items();
}

function probesOf(root: Item): Item[] {
  const list = root.get("probes");
  return list.isGiven() && !root.get("settings").isGiven() ? list.items() : root.items();
}

function isCheck(item: Item): boolean {
  return (
    item.peek("settings").entries().length > 0 && item.peek("target").isGiven() && item.peek("job").isGiven()
  );
}

function isProbe(item: Item): boolean {
  return item.peek("name").isGiven() && item.peek("region").isGiven() && item.peek("latitude").isGiven();
}

function addCheck(
  check: Item,
  { draft, probes }: { draft: ImportDraft; probes: ReadonlyMap<string, string> },
): void {
  const target = check.get("target").text() ?? "";
  const job = check.get("job").filled() ?? target;
  const [kind = "", settings] = check.get("settings").entries()[0] ?? [];
  const timeoutMs = check.get("timeout").number();
  const converted = settings
    ? checkOf(kind, { settings, target, timeoutMs, draft, monitor: job })
    : { problem: "it has no settings" };
  if ("problem" in converted) {
    draft.missingMonitor(check, job, converted.problem);
    return;
  }
  const frequencyMs = check.get("frequency").number();
  draft.monitors.push({
    item: check,
    name: job,
    longName: `${job}: ${target}`,
    ...converted,
    frequencySeconds: frequencyMs === undefined ? undefined : frequencyMs / 1_000,
    regions: check
      .get("probes")
      .items()
      .map((probe) => probes.get(probe.text() ?? "") ?? `the probe ${probe.text() ?? "?"}`),
    enabled: check.get("enabled").flag() ?? true,
    labels: check
      .get("labels")
      .items()
      .map((label) => [label.get("name").text(), label.get("value").text()].filter(Boolean).join(":")),
  });
  for (const alert of check.get("alerts").items())
    draft.leftOut(alert, "alert rule: Grafana notifies by contact points, which are not in the export", job);
  check.skip(...PASSED_OVER);
  const sensitivity = check.get("alertSensitivity");
  if (!["", "none", undefined].includes(sensitivity.text()))
    draft.leftOut(
      sensitivity,
      "alert rule: Grafana notifies by contact points, which are not in the export",
      job,
    );
}

/** Parts of a check that say nothing about the check itself: ids, dates, and how Grafana stores its metrics. */
const PASSED_OVER = [
  "id",
  "tenantId",
  "created",
  "modified",
  "offset",
  "basicMetricsOnly",
  "channel",
  "channels",
  "folderUid",
];

interface Settings {
  settings: Item;
  target: string;
  timeoutMs: number | undefined;
  draft: ImportDraft;
  monitor: string;
}

function checkOf(
  kind: string,
  { settings, target, timeoutMs, draft, monitor }: Settings,
): Pick<DraftMonitor, "type" | "config"> | { problem: string } {
  if (SCRIPTED.has(kind)) return { problem: "its script is one for k6, which svc does not run" };
  const probing = { target, timeoutMs, draft, monitor };
  switch (kind) {
    case "http":
      return { type: "http", config: httpConfig(settings, { target, timeoutMs, draft, monitor }) };
    case "tcp":
      return proberTcp(settings, probing);
    case "ping":
      return proberPing(settings, probing);
    case "dns":
      return proberDns(settings, { ...probing, name: target, server: settings.get("server").filled() });
    case "grpc":
      return proberGrpc(settings, probing);
    default:
      return { problem: `svc has no counterpart of ${kind} checks` };
  }
}

function httpConfig(
  http: Item,
  { target, timeoutMs, draft, monitor }: Omit<Settings, "settings">,
): Record<string, unknown> {
  const headers: Record<string, string> = {};
  for (const item of http.get("headers").items()) {
    const [name = "", value] = (item.text() ?? "").split(/:(.*)/s);
    if (value === undefined) draft.leftOut(item, "no header of the form name: value", monitor);
    else headers[name.trim()] = value.trim();
  }
  return {
    url: target,
    method: http.get("method").filled()?.toUpperCase() ?? "GET",
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    body: http.get("body").filled(),
    auth: proberAuth(http, { draft, monitor }),
    ...proberProxy(http, { draft, monitor }),
    followRedirects: http.get("noFollowRedirects").flag() === true ? false : undefined,
    timeoutMs,
    assertions: proberAssertions(http, { draft, monitor }),
  };
}
