/** blackbox_exporter: its modules, and the jobs of a Prometheus that name their targets. */
import { goDurationMs } from "../carry/durations.ts";
import { noteParts } from "../carry/parts.ts";
import { proberDns, proberGrpc, proberPing, proberTcp } from "../carry/prober-checks.ts";
import { proberAssertions, proberAuth, proberProxy } from "../carry/prober-http.ts";
import type { DraftMonitor, ImportDraft } from "../draft.ts";
import { defineImportSource } from "../import-source.ts";
import { type Item, textsIn } from "../item.ts";

/** Prometheus's own defaults. */
const SCRAPE_INTERVAL_MS = 60_000;
const SCRAPE_TIMEOUT_MS = 10_000;
/** The module that blackbox_exporter uses where a job names none. */
const DEFAULT_MODULE = "http_2xx";

/** blackbox_exporter's modules with Prometheus's jobs. */
export const blackbox = defineImportSource({
  type: "blackbox",
  title: "blackbox_exporter",
  expects: "a folder with blackbox.yml and the prometheus.yml whose jobs probe by it",
  recognises: (root) =>
    root
      .get("modules")
      .entries()
      .some(([, module]) => module.peek("prober").isGiven()) || root.get("scrape_configs").items().length > 0,
  convert(roots, draft) {
    const modules = new Map(roots.flatMap((root) => root.get("modules").entries()));
    const used = new Set<string>();
    for (const root of roots) {
      root.skip(...OF_PROMETHEUS);
      noteParts(root, { rule_files: ALERTING, alerting: ALERTING }, { draft, monitor: null });
      root.get("global").skip(...OF_PROMETHEUS_GLOBALLY);
      for (const job of root.get("scrape_configs").items())
        if (isProbing(job)) addJob(job, { root, modules, used, draft });
        // Other jobs scrape programs of their own.
        else job.settle();
    }
    for (const [name, module] of modules)
      if (!used.has(name)) draft.leftOut(module, `no job here probes a target by the module ${name}`);
  },
});

const ALERTING = "Prometheus's alerting is not carried over: write alerts with channels of your own";
/** Parts of a configuration that are about Prometheus itself. */
const OF_PROMETHEUS = [
  "storage",
  "tracing",
  "remote_write",
  "remote_read",
  "otlp",
  "runtime",
  "scrape_config_files",
];
const OF_PROMETHEUS_GLOBALLY = [
  "evaluation_interval",
  "external_labels",
  "query_log_file",
  "scrape_protocols",
];
/** Parts of a job that say how Prometheus reads the metrics of blackbox_exporter. */
const OF_SCRAPING = [
  "metric_relabel_configs",
  "honor_labels",
  "honor_timestamps",
  "scheme",
  "scrape_protocols",
  "sample_limit",
  "label_limit",
  "enable_compression",
  "basic_auth",
  "bearer_token",
  "authorization",
  "tls_config",
  "follow_redirects",
];

/** Labels that relabelling sets in every job that probes: they bring the target to blackbox_exporter. */
const USUAL_RELABELLED = new Set(["__param_target", "instance", "__address__"]);

function noteRelabelling(job: Item, draft: ImportDraft): void {
  for (const rule of job.get("relabel_configs").items()) {
    if (isUsual(rule)) rule.settle();
    else draft.leftOut(rule, "targets are taken as they stand: relabelling is not carried out");
  }
}

/** True for a rule that changes nothing of what is probed. */
function isUsual(rule: Item): boolean {
  const label = rule.get("target_label").text() ?? "";
  const isReplacing = (rule.get("action").text() ?? "replace") === "replace" && !rule.has("regex");
  if (!USUAL_RELABELLED.has(label) || !isReplacing) return false;
  if (label !== "__param_target") return true;
  const sources = rule
    .get("source_labels")
    .items()
    .map((source) => source.text());
  const isWhole = ["$1", "${1}"].includes(rule.get("replacement").text() ?? "$1");
  return sources.length === 1 && sources[0] === "__address__" && isWhole;
}

interface Surroundings {
  root: Item;
  modules: ReadonlyMap<string, Item>;
  used: Set<string>;
  draft: ImportDraft;
}

/** True for a job that asks blackbox_exporter. */
function isProbing(job: Item): boolean {
  const path = job.get("metrics_path").text() ?? "/metrics";
  return path.endsWith("/probe") || job.peek("params").peek("module").isGiven();
}

function addJob(job: Item, surroundings: Surroundings): void {
  const { draft } = surroundings;
  job.skip(...OF_SCRAPING);
  noteRelabelling(job, draft);
  for (const key of job.names())
    if (/_sd_configs$/.test(key))
      draft.leftOut(job.get(key), `targets of ${key} are found by Prometheus and are not in this file`);
  const named = job.get("params").get("target").items();
  const groups = job.get("static_configs").items();
  const moduleOfJob = job.get("params").get("module").items()[0]?.text();
  for (const target of named) addTarget(target, { ...surroundings, job, labels: {}, moduleOfJob });
  for (const group of groups) {
    const { __param_module: moduleOfGroup, ...labels } = textsIn(group.get("labels"));
    for (const target of group.get("targets").items())
      addTarget(target, { ...surroundings, job, labels, moduleOfJob: moduleOfGroup ?? moduleOfJob });
  }
}

function addTarget(
  target: Item,
  {
    root,
    job,
    labels,
    modules,
    used,
    moduleOfJob = DEFAULT_MODULE,
    draft,
  }: Surroundings & { job: Item; labels: Readonly<Record<string, string>>; moduleOfJob: string | undefined },
): void {
  const address = target.text() ?? "";
  const jobName = job.get("job_name").filled() ?? "probe";
  const module = modules.get(moduleOfJob);
  if (!module) {
    draft.missingMonitor(target, address, `the module ${moduleOfJob} is not in these files`);
    return;
  }
  used.add(moduleOfJob);
  const global = root.get("global");
  const duration = (setting: string, fallback: number) =>
    goDurationMs((job.get(setting).isGiven() ? job : global).get(setting).text() ?? "") ?? fallback;
  const scrapeTimeoutMs = duration("scrape_timeout", SCRAPE_TIMEOUT_MS);
  const moduleTimeoutMs = goDurationMs(module.get("timeout").text() ?? "") ?? scrapeTimeoutMs;
  const check = checkOf(module, { draft, address, timeoutMs: Math.min(moduleTimeoutMs, scrapeTimeoutMs) });
  if ("problem" in check) {
    draft.missingMonitor(target, address, check.problem);
    return;
  }
  draft.monitors.push({
    item: target,
    name: address,
    longName: `${jobName}: ${address}`,
    ...check,
    frequencySeconds: duration("scrape_interval", SCRAPE_INTERVAL_MS) / 1_000,
    labels: [
      `job:${jobName}`,
      ...Object.entries(labels)
        .filter(([name]) => !name.startsWith("__"))
        .map(([name, value]) => `${name}:${value}`),
    ],
  });
}

interface Target {
  draft: ImportDraft;
  address: string;
  timeoutMs: number;
}

function checkOf(
  module: Item,
  { draft, address, timeoutMs }: Target,
): Pick<DraftMonitor, "type" | "config"> | { problem: string } {
  const prober = module.get("prober").text() ?? "";
  const probing = { target: address, timeoutMs, draft, monitor: address };
  switch (prober) {
    case "http":
      return { type: "http", config: httpConfig(module.get("http"), { draft, address, timeoutMs }) };
    case "tcp":
      return proberTcp(module.get("tcp"), probing);
    case "icmp":
      return proberPing(module.get("icmp"), probing);
    case "dns": {
      const dns = module.get("dns");
      return proberDns(dns, { ...probing, name: dns.get("query_name").text() ?? "", server: address });
    }
    case "grpc":
      return proberGrpc(module.get("grpc"), probing);
    default:
      return {
        problem: `svc has no counterpart of the prober ${prober === "" ? "(none is named)" : prober}`,
      };
  }
}

function httpConfig(http: Item, { draft, address, timeoutMs }: Target): Record<string, unknown> {
  const notes = { draft, monitor: address };
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  const headers = textsIn(http.get("headers"));
  const text = http.get("body").filled();
  if (http.get("fail_if_not_ssl").flag() === true && url.startsWith("http:"))
    draft.leftOut(
      http.get("fail_if_not_ssl"),
      "no assertion asks for TLS; watch the https:// address",
      address,
    );
  return {
    url,
    method: http.get("method").filled()?.toUpperCase() ?? "GET",
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    body: text,
    auth: proberAuth(http, notes),
    ...proberProxy(http, notes),
    followRedirects:
      http.get("follow_redirects").flag() === false || http.get("no_follow_redirects").flag() === true
        ? false
        : undefined,
    timeoutMs,
    assertions: proberAssertions(http, notes),
  };
}
