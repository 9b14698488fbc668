/** Checks of Checkly, by their types. */

import { respondsWithin, status } from "../../carry/assertions.ts";
import { entryOf } from "../../carry/entry-of.ts";
import { withBraceVariables, withQuery } from "../../carry/http.ts";
import { dnsCheck, heartbeatCheck, noteSettings, pingCheck, tcpCheck } from "../../carry/other-types.ts";
import type { DraftMonitor, ImportDraft } from "../../draft.ts";
import type { Item } from "../../item.ts";
import { assertionsOf } from "./assertions.ts";

/** The draft, the check's name for notes, and the group that it inherits from. */
export interface CheckContext {
  draft: ImportDraft;
  name: string;
  group: Item | undefined;
}

type Converted = Pick<DraftMonitor, "type" | "config"> | { problem: string };

/** Returns the check, or the reason why there is none. */
export function checkOf(check: Item, context: CheckContext): Converted {
  const type = check.get("checkType").text() ?? "";
  const request = check.get("request");
  const host = request.get("hostname").text() ?? "";
  const maxMs = check.get("maxResponseTime").number();
  const assertions = () =>
    request
      .get("assertions")
      .items()
      .flatMap((assertion) => assertionsOf(assertion, context));
  switch (type) {
    case "API":
    case "URL":
      return { type: "http", config: httpConfig(check, context) };
    case "BROWSER":
    case "MULTI_STEP":
      return browserCheck(check, context);
    case "TCP":
      noteSettings(request, ["data"], { draft: context.draft, monitor: context.name });
      return tcpCheck({
        host,
        port: request.get("port").number(),
        timeoutMs: maxMs,
        assertions: assertions(),
      });
    case "ICMP":
      return pingCheck({ host, timeoutMs: maxMs, assertions: assertions() });
    case "DNS":
      return dnsCheck({
        name: request.get("query").text() ?? "",
        recordType: request.get("recordType").text() ?? "A",
        server: request.get("nameServer").filled(),
        timeoutMs: maxMs,
        assertions: assertions(),
      });
    case "HEARTBEAT": {
      const heartbeat = check.get("heartbeat");
      return heartbeatCheck({
        periodSeconds: secondsOf(heartbeat.get("period"), heartbeat.get("periodUnit")),
        graceSeconds: secondsOf(heartbeat.get("grace"), heartbeat.get("graceUnit")),
      });
    }
    default:
      return { problem: `svc has no counterpart of checks of type ${type}` };
  }
}

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  seconds: 1,
  minutes: 60,
  hours: 3_600,
  days: 86_400,
};

function secondsOf(count: Item, unit: Item): number | undefined {
  const number = count.number();
  return number === undefined ? undefined : number * (entryOf(UNIT_SECONDS, unit.text() ?? "seconds") ?? 1);
}

function browserCheck(check: Item, { draft, name, group }: CheckContext): Converted {
  const script = check.get("script");
  const text = script.filled();
  if (text === undefined) return { problem: "the export has no script of it" };
  if (!/@playwright\/test/.test(text))
    draft.changed(script, "the script does not use @playwright/test: look whether it runs here", name);
  if (/process\.env/.test(text))
    draft.changed(
      script,
      "the script reads process.env, which is empty here: write {{vault.NAME}} instead",
      name,
    );
  if (
    (group?.get("environmentVariables").items().length ?? 0) +
      check.get("environmentVariables").items().length >
    0
  )
    draft.leftOut(
      check.get("environmentVariables"),
      "scripts get no environment variables; store them with svc secrets set",
      name,
    );
  return { type: "browser", config: { script: text } };
}

function httpConfig(check: Item, context: CheckContext): Record<string, unknown> {
  const { draft, name, group } = context;
  const request = check.get("request");
  const defaults = group?.get("apiCheckDefaults");
  const text = (item: Item) => withBraceVariables(item, draft, name) ?? "";
  const pairs = (item: Item | undefined) =>
    (item?.items() ?? []).map((one) => [one.get("key").text() ?? "", text(one.get("value"))] as const);
  const headers = Object.fromEntries([...pairs(defaults?.get("headers")), ...pairs(request.get("headers"))]);
  const body = text(request.get("body"));
  const contentType = entryOf(CONTENT_TYPES, request.get("bodyType").text() ?? "");
  if (
    body !== "" &&
    contentType !== undefined &&
    !Object.keys(headers).some((one) => one.toLowerCase() === "content-type")
  )
    headers["Content-Type"] = contentType;
  if (request.get("skipSSL", "skipSsl").flag() === true)
    draft.leftOut(request.get("skipSSL", "skipSsl"), "certificates are always verified", name);
  return {
    url: withQuery(urlOf(request.get("url"), defaults, text), [
      ...pairs(defaults?.get("queryParameters")),
      ...pairs(request.get("queryParameters")),
    ]),
    method: request.get("method").filled()?.toUpperCase() ?? "GET",
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    body: body === "" ? undefined : body,
    auth: authOf([request.get("basicAuth"), defaults?.get("basicAuth")], text),
    followRedirects: request.get("followRedirects").flag() === false ? false : undefined,
    assertions: httpAssertions(check, context),
  };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  JSON: "application/json",
  FORM: "application/x-www-form-urlencoded",
  GRAPHQL: "application/json",
};

/** Returns the URL; the group's address stands in front of it as a variable. */
function urlOf(url: Item, defaults: Item | undefined, text: (item: Item) => string): string {
  const base = defaults?.get("url").filled();
  const written = url.text() ?? "";
  const [, rest] = /^\{\{\s*GROUP_BASE_URL\s*\}\}(.*)$/s.exec(written) ?? [];
  if (base === undefined || rest === undefined) return text(url);
  return text(url.as(base + rest));
}

function authOf(
  blocks: readonly (Item | undefined)[],
  text: (item: Item) => string,
): Record<string, string> | undefined {
  const basic = blocks.find((one) => one?.get("username").filled() !== undefined);
  return (
    basic && { type: "basic", username: text(basic.get("username")), password: text(basic.get("password")) }
  );
}

/** Adds Checkly's own rules: a status of 400 or more fails, or passes where the check should fail, and so does a slow response. */
function httpAssertions(check: Item, context: CheckContext) {
  const { group } = context;
  const maxMs = check.get("maxResponseTime").number();
  return [
    check.get("shouldFail").flag() === true ? status.above(399) : status.below(400),
    ...[
      ...(group?.get("apiCheckDefaults").get("assertions").items() ?? []),
      ...check.get("request").get("assertions").items(),
    ].flatMap((one) => assertionsOf(one, context)),
    ...(maxMs === undefined ? [] : [respondsWithin(maxMs)]),
  ];
}
