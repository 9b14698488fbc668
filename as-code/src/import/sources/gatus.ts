/** Gatus: its configuration file. */

import { goDurationMs } from "../carry/durations.ts";
import { OWN_CERTIFICATES, proxyOf } from "../carry/http.ts";
import {
  dnsCheck,
  grpcCheck,
  hostAndPort,
  pingCheck,
  tcpCheck,
  tlsCheck,
  websocketCheck,
} from "../carry/other-types.ts";
import { noteParts, REASON } from "../carry/parts.ts";
import { askedOf } from "../carry/spoken.ts";
import type { DraftMonitor, ImportDraft } from "../draft.ts";
import { defineImportSource } from "../import-source.ts";
import { type Item, textsIn } from "../item.ts";
import { alertOf, channelsOf, defaultAlerts } from "./gatus/alerting.ts";
import { askedByConditions, assertionsOf, dnsExpectations } from "./gatus/conditions.ts";
import { gatusText } from "./gatus/variables.ts";

const INTERVAL_MS = 60_000;
const TIMEOUT_MS = 10_000;

/** Gatus's configuration file. */
export const gatus = defineImportSource({
  type: "gatus",
  title: "Gatus",
  expects: "the config.yaml of Gatus, which has endpoints",
  recognises: (root) =>
    root
      .get("endpoints")
      .items()
      .some((one) => one.peek("url").isGiven() || one.peek("conditions").isGiven()) ||
    root.get("external-endpoints").items().length > 0,
  convert(roots, draft) {
    for (const root of roots) {
      const defaults = defaultAlerts(root.get("alerting"));
      channelsOf(root.get("alerting"), draft);
      for (const endpoint of root.get("endpoints").items()) addEndpoint(endpoint, { draft, defaults });
      for (const endpoint of root.get("external-endpoints").items())
        draft.missingMonitor(
          endpoint,
          nameOf(endpoint),
          "its results are pushed to Gatus, and svc has no such checks",
        );
      for (const suite of root.get("suites").items())
        draft.missingMonitor(
          suite,
          nameOf(suite),
          "a suite of endpoints: svc has no checks of several requests",
        );
      for (const part of ["maintenance", "remote", "tunneling"])
        if (root.get(part).isGiven()) draft.leftOut(root.get(part), `${part} of Gatus is not carried over`);
      root.skip(...OF_GATUS_ITSELF);
    }
  },
});

/** Parts of the file that are about Gatus itself: its page, its store and how it runs. */
const OF_GATUS_ITSELF = [
  "ui",
  "web",
  "storage",
  "metrics",
  "security",
  "announcements",
  "connectivity",
  "concurrency",
  "debug",
  "disable-monitoring-lock",
  "skip-invalid-config-update",
];

interface Surroundings {
  draft: ImportDraft;
  defaults: ReadonlyMap<string, Item>;
}

function nameOf(endpoint: Item): string {
  return endpoint.get("name").filled() ?? endpoint.get("url").filled() ?? "endpoint";
}

function addEndpoint(endpoint: Item, { draft, defaults }: Surroundings): void {
  const name = gatusText(endpoint.get("name"), draft)?.trim() || nameOf(endpoint);
  const group = endpoint.get("group").filled();
  const check = checkOf(endpoint, { draft, name });
  if (!check) return;
  const labels = Object.entries(textsIn(endpoint.get("extra-labels"))).map(
    ([key, value]) => `${key}:${value}`,
  );
  draft.monitors.push({
    item: endpoint,
    name,
    longName: group === undefined ? undefined : `${group}/${name}`,
    ...check,
    frequencySeconds: (durationMs(endpoint.get("interval"), { draft, name }) ?? INTERVAL_MS) / 1_000,
    enabled: endpoint.get("enabled").flag() ?? true,
    labels: [...(group === undefined ? [] : [`group:${group}`]), ...labels],
    alerts: endpoint
      .get("alerts")
      .items()
      .flatMap((alert) => alertOf(alert, { draft, name, defaults })),
  });
  noteParts(
    endpoint,
    {
      "maintenance-windows": "maintenance is not carried over; see maintenance windows",
      store: "values of one endpoint are not used in another; write a multistep check",
      "always-run": "an endpoint of its own always runs",
    },
    { draft, monitor: name },
  );
  endpoint.skip("ui");
}

interface Named {
  draft: ImportDraft;
  name: string;
}

function checkOf(endpoint: Item, { draft, name }: Named): Pick<DraftMonitor, "type" | "config"> | undefined {
  const url = gatusText(endpoint.get("url"), draft) ?? "";
  const timeoutMs = durationMs(endpoint.get("client").get("timeout"), { draft, name }) ?? TIMEOUT_MS;
  const [, scheme = ""] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url) ?? [];
  const conditions = endpoint.get("conditions");
  noteParts(endpoint.get("client"), CLIENT_PARTS, { draft, monitor: name });
  if (endpoint.get("dns").isGiven() || !/^(?:https?|wss?)$/i.test(scheme)) {
    endpoint.get("client").skip("ignore-redirect");
    endpoint.skip("method");
    noteParts(
      endpoint,
      { headers: "headers are sent over HTTP and WebSocket only" },
      { draft, monitor: name },
    );
  }
  if (endpoint.get("dns").isGiven())
    return dnsCheck({
      name: endpoint.get("dns").get("query-name").text() ?? "",
      recordType: endpoint.get("dns").get("query-type").text() ?? "A",
      server: url,
      timeoutMs,
      ...dnsExpectations(conditions, { draft, name }),
    });
  const isSecure = /^(?:tls|starttls|wss|grpcs)$/i.test(scheme);
  const fieldsOf = (type: Parameters<typeof askedOf>[0], items = conditions.items()) =>
    askedOf(type, askedByConditions(items, { draft, name }), { draft, monitor: name, tls: isSecure });
  const { host, port } = hostAndPort(url);
  const send = gatusText(endpoint.get("body"), draft) || undefined;
  switch (scheme.toLowerCase()) {
    case "http":
    case "https":
      return { type: "http", config: httpConfig(endpoint, { draft, name, url, timeoutMs }) };
    case "tcp":
      return tcpCheck({ host, port, timeoutMs, send, ...fieldsOf("tcp") });
    case "tls":
    case "starttls": {
      const startTls = scheme.toLowerCase() === "tls" ? undefined : ("smtp" as const);
      // A check of type tls says and hears nothing.
      const isTalk = send !== undefined || conditions.items().some((one) => one.text()?.includes("[BODY]"));
      return isTalk
        ? tcpCheck({ host, port, tls: true, startTls, timeoutMs, send, ...fieldsOf("tcp") })
        : tlsCheck({ host, port, startTls, timeoutMs, ...fieldsOf("tls") });
    }
    case "icmp":
      return pingCheck({ host, timeoutMs, ...fieldsOf("ping") });
    case "ws":
    case "wss":
      return websocketCheck({
        url,
        headers: headersOf(endpoint, draft),
        timeoutMs,
        send,
        ...fieldsOf("websocket"),
      });
    case "grpc":
    case "grpcs": {
      // The check itself asks for a server that serves.
      const others = conditions
        .items()
        .filter((one) => !/^\[BODY\]\.status == SERVING$/.test(one.text()?.trim() ?? ""));
      return grpcCheck({ target: url, timeoutMs, ...fieldsOf("grpc", others) });
    }
    default:
      draft.missingMonitor(
        endpoint,
        name,
        scheme === "" ? "its url has no scheme" : `svc has no checks of ${scheme}:// addresses`,
      );
      return undefined;
  }
}

function httpConfig(
  endpoint: Item,
  { draft, name, url, timeoutMs }: Named & { url: string; timeoutMs: number },
): Record<string, unknown> {
  const client = endpoint.get("client");
  const isGraphQl = endpoint.get("graphql").flag() === true;
  const body = gatusText(endpoint.get("body"), draft);
  const headers = headersOf(endpoint, draft) ?? {};
  if (isGraphQl && !Object.keys(headers).some((one) => one.toLowerCase() === "content-type"))
    headers["Content-Type"] = "application/json";
  return {
    url,
    method: endpoint.get("method").filled()?.toUpperCase() ?? "GET",
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    body: isGraphQl ? JSON.stringify({ query: body ?? "" }) : body || undefined,
    followRedirects: client.get("ignore-redirect").flag() === true ? false : undefined,
    timeoutMs,
    ...proxyOf(client.get("proxy-url"), draft, name),
    assertions: assertionsOf(endpoint.get("conditions"), { draft, name }),
  };
}

/** Returns the headers of an endpoint; undefined when it has none. */
function headersOf(endpoint: Item, draft: ImportDraft): Record<string, string> | undefined {
  const headers = endpoint
    .get("headers")
    .entries()
    .map(([header, value]) => [header, gatusText(value, draft) ?? ""] as const);
  return headers.length > 0 ? Object.fromEntries(headers) : undefined;
}

/** Settings of the client that svc has no counterpart of, with the reason. */
const CLIENT_PARTS: Readonly<Record<string, string>> = {
  insecure: REASON.alwaysVerified,
  oauth2: "no tokens are fetched by OAuth 2; send one in a header",
  "identity-aware-proxy": "no tokens are fetched for identity-aware proxies",
  "dns-resolver": REASON.resolver,
  tls: OWN_CERTIFICATES,
  tunnel: "checks go through no tunnel",
  network: REASON.ipVersion,
};

/** Returns the duration; one that can't be read is noted. */
function durationMs(item: Item, { draft, name }: Named): number | undefined {
  if (!item.isGiven()) return undefined;
  // A number is a duration in nanoseconds there.
  const ms = typeof item.value === "number" ? item.value / 1e6 : goDurationMs(item.text() ?? "");
  if (ms === undefined)
    draft.leftOut(item, "no duration such as 30s, 5m or 1h30m; Gatus's default holds", name);
  return ms;
}
