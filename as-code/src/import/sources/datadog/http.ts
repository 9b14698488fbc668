/** HTTP tests of Datadog. */

import {
  body,
  certificateLasts,
  type DraftAssertion,
  header,
  json,
  respondsWithin,
  status,
  statusWithin,
} from "../../carry/assertions.ts";
import { entryOf } from "../../carry/entry-of.ts";
import { OWN_CERTIFICATES, proxyOf, withBraceVariables, withQuery } from "../../carry/http.ts";
import { noteParts, REASON } from "../../carry/parts.ts";
import { patternOf, plainTextOf, simplePath } from "../../carry/patterns.ts";
import type { ImportDraft } from "../../draft.ts";
import type { Item } from "../../item.ts";

interface Context {
  draft: ImportDraft;
  name: string;
}

type Reader = (item: Item) => string | undefined;

/** The request of a test or of one of its steps, with the options that stand elsewhere. */
interface RequestParts {
  request: Item;
  /** Of the test; undefined: of a step, which has none. */
  options?: Item;
  /** Reads a text in which variables stand. */
  text: Reader;
}

/** Returns the configuration of an HTTP check. */
export function httpConfig(
  test: Item,
  { draft, name, timeoutMs }: Context & { timeoutMs: number | undefined },
): Record<string, unknown> {
  const config = test.get("config");
  noteVariables(config, { draft, name });
  const text = (item: Item) => withBraceVariables(item, draft, name);
  return {
    ...requestOf({ request: config.get("request"), options: test.get("options"), text }, { draft, name }),
    timeoutMs,
    ...proxyOf(config.get("request").get("proxy").get("url"), draft, name),
    assertions: config
      .get("assertions")
      .items()
      .flatMap((assertion) => assertionsOf(assertion, { draft, name })),
  };
}

/** Returns the fields of a request, and notes what of it no request here has. */
export function requestOf(
  { request, options, text }: RequestParts,
  { draft, name }: Context,
): Record<string, unknown> {
  const textsOf = (field: string) =>
    request
      .get(field)
      .entries()
      .map(([key, value]) => [key, text(value) ?? ""] as const);
  const headers = textsOf("headers");
  noteRest({ request, options, text }, { draft, name });
  return {
    url: withQuery(text(request.get("url")) ?? "", textsOf("query")),
    method: request.get("method").filled()?.toUpperCase() ?? "GET",
    headers: headers.length > 0 ? Object.fromEntries(headers) : undefined,
    body: text(request.get("body")) || undefined,
    auth: authOf(request.get("basicAuth"), { draft, name, text }),
    followRedirects:
      options?.get("follow_redirects").flag() === true || request.get("follow_redirects").flag() === true,
  };
}

function noteRest({ request, options }: RequestParts, { draft, name }: Context): void {
  const notes = { draft, monitor: name };
  if (options) noteParts(options, { ...TLS_REASONS, httpVersion: HTTP_VERSION }, notes);
  noteParts(
    request,
    {
      ...TLS_REASONS,
      httpVersion: HTTP_VERSION,
      certificate: OWN_CERTIFICATES,
      files: "no files are sent",
      form: "no forms of several parts are sent",
      persistCookies: "cookies that a server sets are not kept",
    },
    notes,
  );
  noteParts(request.get("proxy"), { headers: "no headers are sent to a proxy" }, notes);
  // The body is sent as it stands, whatever its type is; certificateDomains say for which hosts a certificate is.
  request.skip("bodyType", "certificateDomains", "noSavingResponseBody", "disableAiaIntermediateFetching");
}

/** Reasons why settings of certificates are not carried over. */
export const TLS_REASONS = {
  accept_self_signed: REASON.alwaysVerified,
  allow_insecure: REASON.alwaysVerified,
  ignoreServerCertificateError: REASON.alwaysVerified,
  checkCertificateRevocation: "certificates are not looked up in lists of revoked ones",
} as const;
const HTTP_VERSION = "the version of HTTP is not chosen by checks";

/** Notes the test's own variables, which are read elsewhere here. */
export function noteVariables(config: Item, { draft, name }: Context): void {
  for (const variable of config.get("configVariables").items()) {
    variable.settle();
    if (variable.get("type").text() === "text")
      draft.changed(
        variable,
        "a variable of the test is read from the environment at the deploy, and has one value for all runs",
        name,
      );
  }
  config.skip("variables");
}

function authOf(
  auth: Item,
  { draft, name, text }: Context & { text: Reader },
): Record<string, string> | undefined {
  if (!auth.isGiven()) return undefined;
  const type = auth.get("type").filled() ?? "web";
  if (type === "web")
    return {
      type: "basic",
      username: text(auth.get("username")) ?? "",
      password: text(auth.get("password")) ?? "",
    };
  draft.leftOut(auth, `${type} is no way of signing in that checks know`, name);
  return undefined;
}

/** Returns our assertions of one of Datadog's; none, with a note, when they can't say what it says. */
export function assertionsOf(assertion: Item, { draft, name }: Context): DraftAssertion[] {
  const found = convertedAssertion(assertion, { draft, name });
  if (found) return found;
  noteAssertion(assertion, { draft, name });
  return [];
}

/** Returns our assertions of one of Datadog's; undefined when they can't say what it says. */
export function convertedAssertion(assertion: Item, { draft, name }: Context): DraftAssertion[] | undefined {
  const scope = assertion.get("timingsScope").filled() ?? "all";
  if (scope !== "all") return undefined;
  return entryOf(BY_TYPE, assertion.get("type").text() ?? "")?.(
    assertion,
    (item) => withBraceVariables(item, draft, name) ?? "",
  );
}

/** Notes an assertion that is not carried over. */
export function noteAssertion(assertion: Item, { draft, name }: Context): void {
  const kind = [assertion.get("type").text(), assertion.get("operator").text()].filter(Boolean).join(" ");
  draft.leftOut(assertion, `no assertion says what this one says (${kind})`, name);
}

type Convert = (assertion: Item, text: (item: Item) => string) => DraftAssertion[] | undefined;

const BY_TYPE: Readonly<Record<string, Convert>> = {
  statusCode: (assertion) => {
    const target = assertion.get("target");
    const operator = assertion.get("operator").text() ?? "";
    if (operator === "matches") return statusPattern(target.text() ?? "");
    const code = target.number();
    return code === undefined ? undefined : entryOf(STATUS, operator)?.(code);
  },
  responseTime: (assertion) => {
    const max = assertion.get("target").number();
    const isLimit = ["lessThan", "lessThanOrEqual"].includes(assertion.get("operator").text() ?? "");
    return isLimit && max !== undefined ? [respondsWithin(max)] : undefined;
  },
  certificate: (assertion) => {
    const days = assertion.get("target").number();
    return assertion.get("operator").text() === "isInMoreThan" && days !== undefined
      ? [certificateLasts(days)]
      : undefined;
  },
  header: (assertion, text) => {
    const name = assertion.get("property").text() ?? "";
    const target = text(assertion.get("target"));
    const operator = assertion.get("operator").text();
    if (operator === "is") return [header.is(name, target)];
    if (operator === "contains") return [header.contains(name, target)];
    const plain = operator === "matches" ? plainTextOf(target) : undefined;
    return plain === undefined ? undefined : [header.contains(name, plain)];
  },
  body: (assertion, text) => {
    const operator = assertion.get("operator").text() ?? "";
    if (operator === "validatesJSONPath") return jsonAssertion(assertion.get("target"), text);
    const target = assertion.get("target");
    const wanted = typeof target.value === "object" ? undefined : text(target);
    return wanted === undefined ? undefined : entryOf(BODY, operator)?.(wanted);
  },
};

const STATUS: Readonly<Record<string, (code: number) => DraftAssertion[]>> = {
  is: (code) => [status.is(code)],
  isNot: (code) => [status.isNot(code)],
  lessThan: (code) => [status.below(code)],
  lessThanOrEqual: (code) => [status.below(code + 1)],
  moreThan: (code) => [status.above(code)],
  moreThanOrEqual: (code) => [status.above(code - 1)],
};

/** Returns the range of `2\d{2}`, `2..` or `2\d\d`; undefined for any other expression. */
function statusPattern(pattern: string): DraftAssertion[] | undefined {
  const [, hundred] = /^\^?([1-5])(?:\\d\{2\}|\\d\\d|\.\.|[0-9x]?xx)\$?$/.exec(pattern) ?? [];
  if (hundred === undefined) return undefined;
  const min = Number(hundred) * 100;
  return statusWithin({ min, max: min + 99 });
}

const BODY: Readonly<Record<string, (target: string) => DraftAssertion[] | undefined>> = {
  contains: (target) => [body.contains(target)],
  doesNotContain: (target) => [body.lacks(target)],
  is: (target) => [body.is(target)],
  matches: (target) => ("pattern" in patternOf(target) ? [body.matches(target)] : undefined),
  doesNotMatch: (target) => ("pattern" in patternOf(target) ? [body.lacksMatch(target)] : undefined),
};

function jsonAssertion(target: Item, text: (item: Item) => string): DraftAssertion[] | undefined {
  const path = simplePath(target.get("jsonPath").text() ?? "");
  if (path === undefined) return undefined;
  const wanted = target.get("targetValue");
  const value = typeof wanted.value === "string" ? text(wanted) : wanted.value;
  switch (target.get("operator").text()) {
    case "is":
      return value === undefined ? undefined : [json.is(path, value)];
    case "isNot":
      return value === undefined ? undefined : [json.isNot(path, value)];
    case "contains":
      return value === undefined ? undefined : [json.contains(path, value)];
    default:
      return undefined;
  }
}
