/** Datadog Synthetics: the tests as its API lists them. */
import { channel, condition } from "../carry/channels.ts";
import { withBraceVariables } from "../carry/http.ts";
import { dnsCheck, grpcCheck, pingCheck, tcpCheck, tlsCheck, websocketCheck } from "../carry/other-types.ts";
import type { DraftAlert, DraftMonitor, ImportDraft } from "../draft.ts";
import { defineImportSource } from "../import-source.ts";
import type { Item } from "../item.ts";
import { assertionsOf, httpConfig } from "./datadog/http.ts";
import { multistepOf } from "./datadog/multistep.ts";

/** Datadog's list of Synthetic tests. */
export const datadog = defineImportSource({
  type: "datadog",
  title: "Datadog Synthetics",
  expects: "the JSON of GET /api/v1/synthetics/tests of Datadog",
  recognises: (root) => testsOf(root).some(isTest),
  convert(roots, draft) {
    for (const test of roots.flatMap(testsOf)) addTest(test, draft);
  },
});

function testsOf(root: Item): Item[] {
  const list = root.get("tests");
  if (list.isGiven()) return list.items();
  return isTest(root) ? [root] : root.items();
}

function isTest(item: Item): boolean {
  const hasId = item.get("public_id").isGiven() || item.get("options").get("tick_every").isGiven();
  return hasId && item.get("type").isGiven();
}

function addTest(test: Item, draft: ImportDraft): void {
  const name = test.get("name").filled() ?? test.get("public_id").filled() ?? "test";
  const converted = checkOf(test, { draft, name });
  if ("problem" in converted) {
    draft.missingMonitor(test, name, converted.problem);
    return;
  }
  const options = test.get("options");
  draft.monitors.push({
    item: test,
    name,
    longName: test.get("public_id").isGiven() ? `${name} (${test.get("public_id").text()})` : undefined,
    ...converted,
    frequencySeconds: options.get("tick_every").number(),
    regions: test
      .get("locations")
      .items()
      .flatMap((one) => one.text() ?? []),
    enabled: test.get("status").text() !== "paused",
    labels: test
      .get("tags")
      .items()
      .flatMap((one) => one.text() ?? []),
    retry: retryOf(options.get("retry")),
    alerts: alertsOf(test, { draft, name }),
  });
  if (options.get("scheduling").get("timeframes").items().length > 0)
    draft.leftOut(options.get("scheduling"), "checks run at all hours; see maintenance windows", name);
}

interface Context {
  draft: ImportDraft;
  name: string;
}

function checkOf(
  test: Item,
  { draft, name }: Context,
): Pick<DraftMonitor, "type" | "config"> | { problem: string } {
  const type = test.get("type").text() ?? "";
  if (type === "browser")
    return {
      problem:
        "the steps of a browser test are recorded in Datadog's own form; svc runs scripts for Playwright",
    };
  if (type !== "api") return { problem: `svc has no counterpart of ${type} tests` };
  const config = test.get("config");
  const request = config.get("request");
  const host = request.get("host").text() ?? "";
  const port = request.get("port").number();
  const seconds = request.get("timeout").number();
  const timeoutMs = seconds === undefined || seconds <= 0 ? undefined : Math.round(seconds * 1_000);
  const subtype = test.get("subtype").text() ?? "http";
  const assertions = () =>
    config
      .get("assertions")
      .items()
      .flatMap((assertion) => assertionsOf(assertion, { draft, name }));
  const text = (item: Item) => withBraceVariables(item, draft, name) || undefined;
  switch (subtype) {
    case "http":
      return { type: "http", config: httpConfig(test, { draft, name, timeoutMs }) };
    case "ssl":
      return tlsCheck({ host, port, timeoutMs, assertions: assertions() });
    case "tcp":
      return tcpCheck({ host, port, timeoutMs, assertions: assertions() });
    case "dns":
      return dnsCheck({
        name: host,
        recordType: "A",
        server: request.get("dnsServer").filled(),
        timeoutMs,
        assertions: assertions(),
      });
    case "icmp":
      return pingCheck({ host, timeoutMs, assertions: assertions() });
    case "grpc":
      return grpcCheck({
        target: `${host}:${port ?? 443}`,
        tls: (port ?? 443) === 443,
        service: request.get("service").filled(),
        timeoutMs,
        assertions: assertions(),
      });
    case "websocket":
      return websocketCheck({
        url: text(request.get("url")) ?? "",
        send: text(request.get("message")),
        timeoutMs,
        assertions: assertions(),
      });
    case "multi":
      return multistepOf(config, { draft, name });
    default:
      return { problem: `svc has no counterpart of ${subtype} tests` };
  }
}

/** Returns the retries, whose interval is milliseconds there. */
function retryOf(retry: Item): DraftMonitor["retry"] {
  const count = retry.get("count").number() ?? 0;
  if (count <= 0) return null;
  return {
    strategy: "fixed",
    maxRetries: count,
    baseBackoffSeconds: (retry.get("interval").number() ?? 300) / 1_000,
    maxDurationSeconds: 600,
  };
}

/** Matches who is notified: an address of mail, or a name that an integration gave. */
const HANDLE = /(?:^|[\s,;({])@([\w.+-]+(?:@[\w-]+(?:\.[\w-]+)+)?)/g;
const MESSAGE_CHARACTERS_MAX = 20_000;

/** Returns the rule of a test: those in its message are notified when it fails for long enough, at enough locations. */
function alertsOf(test: Item, { draft, name }: Context): DraftAlert[] {
  const message = test.get("message");
  const text = (message.text() ?? "").slice(0, MESSAGE_CHARACTERS_MAX);
  const handles = [
    ...new Set([...text.matchAll(HANDLE)].map(([, handle = ""]) => handle.replace(/[.,-]+$/, ""))),
  ];
  const addresses = handles.filter((handle) => handle.includes("@"));
  for (const handle of handles.filter((one) => !one.includes("@") && one !== ""))
    draft.leftOut(
      message,
      `@${handle} is an integration, whose settings are not in the export; add a channel`,
      name,
    );
  if (addresses.length === 0) return [];
  for (const address of addresses)
    draft.channels.set(address, { item: message, name: address, config: channel.email(address) });
  return [{ conditions: [failing(test.get("options"))], channels: addresses, item: message }];
}

function failing(options: Item): Readonly<Record<string, unknown>> {
  const seconds = options.get("min_failure_duration").number() ?? 0;
  const frequencySeconds = Math.max(10, options.get("tick_every").number() ?? 60);
  const locations = options.get("min_location_failed").number() ?? 1;
  return locations >= 2
    ? condition.locationsFailing(Math.round(locations), Math.max(Math.round(seconds), frequencySeconds))
    : condition.failuresInARow(Math.floor(seconds / frequencySeconds) + 1);
}
