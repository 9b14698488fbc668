/** Datadog Synthetics: the tests as its API lists them. */
import { channel, condition } from "../carry/channels.ts";
import { entryOf } from "../carry/entry-of.ts";
import { noteParts } from "../carry/parts.ts";
import type { DraftAlert, DraftMonitor, ImportDraft } from "../draft.ts";
import { defineImportSource } from "../import-source.ts";
import type { Item } from "../item.ts";
import { CONNECTIONS } from "./datadog/connections.ts";
import { httpConfig, noteVariables, TLS_REASONS } from "./datadog/http.ts";
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
  const hasId = item.peek("public_id").isGiven() || item.peek("options").peek("tick_every").isGiven();
  return hasId && item.peek("type").isGiven();
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
  options.get("scheduling").settle();
  noteParts(
    options.get("monitor_options"),
    { renotify_interval: REPEATED, renotify_occurrences: REPEATED, escalation_message: REPEATED },
    { draft, monitor: name },
  );
  options.get("monitor_options").settle();
  test.skip(...PASSED_OVER);
  options.skip(...OPTIONS_PASSED_OVER);
}

const REPEATED = "notifications are repeated by incidents, not by monitors";

/** Parts of a test that say nothing about its check: who made it, when, and how Datadog shows it. */
const PASSED_OVER = [
  "monitor_id",
  "monitor_status",
  "created_at",
  "modified_at",
  "deleted_at",
  "creator",
  "modified_by",
  "created_by",
  "org_id",
  "mainDC",
  "editor",
  "version",
  "version_uuid",
  "overall_state",
  "overall_state_modified",
  "stepCount",
];
/** Options that say nothing about a check that calls an API: names and rights in Datadog, and what browsers do. */
const OPTIONS_PASSED_OVER = [
  "monitor_name",
  "monitor_priority",
  "restricted_roles",
  "ci",
  "rumSettings",
  "device_ids",
  "disableCors",
  "disableCsp",
  "noScreenshot",
  "initialNavigationTimeout",
  "blockedRequestPatterns",
  "enableProfiling",
  "enableSecurityTesting",
  "disableAiaIntermediateFetching",
  "follow_redirects",
  "min_location_failed",
  "min_failure_duration",
];

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
  const subtype = test.get("subtype").text() ?? "http";
  if (subtype === "multi") return multistepOf(config, { draft, name });
  const seconds = request.get("timeout").number();
  const timeoutMs = seconds === undefined || seconds <= 0 ? undefined : Math.round(seconds * 1_000);
  if (subtype === "http") return { type: "http", config: httpConfig(test, { draft, name, timeoutMs }) };
  const convert = entryOf(CONNECTIONS, subtype);
  if (!convert) return { problem: `svc has no counterpart of ${subtype} tests` };
  noteVariables(config, { draft, name });
  noteParts(test.get("options"), TLS_REASONS, { draft, monitor: name });
  noteParts(request, TLS_REASONS, { draft, monitor: name });
  return convert({ request, assertions: config.get("assertions").items(), timeoutMs, draft, name });
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
