/** Checks of Checkly, by their types. */

import { respondsWithin, status } from "../../carry/assertions.ts";
import { entryOf } from "../../carry/entry-of.ts";
import { withBraceVariables, withQuery } from "../../carry/http.ts";
import { noteParts, REASON } from "../../carry/parts.ts";
import type { DraftMonitor, ImportDraft } from "../../draft.ts";
import type { Item } from "../../item.ts";
import { assertionsOf } from "./assertions.ts";
import { CONNECTIONS } from "./connections.ts";

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
  const convert = entryOf(CONNECTIONS, type);
  if (convert) {
    if (check.get("shouldFail").flag() === true)
      return { problem: "it is well while its target can't be reached (shouldFail), which no check can be" };
    noteParts(
      check.get("request"),
      { ipFamily: REASON.ipVersion },
      { draft: context.draft, monitor: context.name },
    );
    return convert(check, context);
  }
  switch (type) {
    case "API":
    case "URL":
      return { type: "http", config: httpConfig(check, context) };
    case "BROWSER":
    case "MULTI_STEP":
      return browserCheck(check, context);
    default:
      return { problem: `svc has no counterpart of checks of type ${type}` };
  }
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
    (item?.items() ?? []).map((one) => {
      one.skip("locked", "secret");
      return [one.get("key").text() ?? "", text(one.get("value"))] as const;
    });
  const headers = Object.fromEntries([...pairs(defaults?.get("headers")), ...pairs(request.get("headers"))]);
  const body = text(request.get("body"));
  const contentType = entryOf(CONTENT_TYPES, request.get("bodyType").text() ?? "");
  if (
    body !== "" &&
    contentType !== undefined &&
    !Object.keys(headers).some((one) => one.toLowerCase() === "content-type")
  )
    headers["Content-Type"] = contentType;
  noteParts(
    request,
    { skipSSL: REASON.alwaysVerified, skipSsl: REASON.alwaysVerified, ipFamily: REASON.ipVersion },
    { draft, monitor: name },
  );
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
  const { group, draft, name } = context;
  const shouldFail = check.get("shouldFail");
  if (shouldFail.flag() === true)
    draft.changed(
      shouldFail,
      "a status from 400 on is asked for; a target that can't be reached fails all the same",
      name,
    );
  const maxMs = check.get("maxResponseTime").number();
  return [
    shouldFail.flag() === true ? status.above(399) : status.below(400),
    ...[
      ...(group?.get("apiCheckDefaults").get("assertions").items() ?? []),
      ...check.get("request").get("assertions").items(),
    ].flatMap((one) => assertionsOf(one, context)),
    ...(maxMs === undefined ? [] : [respondsWithin(maxMs)]),
  ];
}
