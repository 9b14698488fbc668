/**
 * The HTTP settings that blackbox_exporter and the tools built on it share, under their names in YAML (`valid_status_codes`) and in JSON
 * (`validStatusCodes`).
 */
import { type ImportDraft, variableName } from "../draft.ts";
import type { Item } from "../item.ts";
import { body, type DraftAssertion, header, statusAmong, statusWithin } from "./assertions.ts";
import { OWN_CERTIFICATES, proxyOf } from "./http.ts";
import { patternOfGo, plainTextOf } from "./patterns.ts";

/** The draft and the name of the monitor, for notes. */
export interface ProberNotes {
  draft: ImportDraft;
  monitor: string;
}

/** Returns the assertions that the settings stand for. */
export function proberAssertions(http: Item, notes: ProberNotes): DraftAssertion[] {
  const { draft, monitor } = notes;
  const codes = http.get("valid_status_codes", "validStatusCodes");
  const listed = codes.items().flatMap((code) => code.number() ?? []);
  const { assertions, wider } = statusAmong(listed.map((code) => ({ min: code, max: code })));
  if (wider)
    draft.changed(
      codes,
      `any status from ${wider.min} to ${wider.max} passes: an assertion has no list of statuses`,
      monitor,
    );
  const found = listed.length > 0 ? assertions : statusWithin({ min: 200, max: 299 });
  for (const [names, make] of [
    [["fail_if_body_matches_regexp", "failIfBodyMatchesRegexp"], body.lacksMatch],
    [["fail_if_body_not_matches_regexp", "failIfBodyNotMatchesRegexp"], body.matches],
  ] as const)
    for (const item of http.get(...names).items()) {
      const converted = patternOfGo(item.text() ?? "");
      if ("problem" in converted) draft.leftOut(item, converted.problem, monitor);
      else found.push(make(converted.pattern));
    }
  for (const item of http.get("fail_if_header_not_matches", "failIfHeaderNotMatchesRegexp").items())
    found.push(...headerAssertion(item, notes));
  for (const item of http.get("fail_if_header_matches", "failIfHeaderMatchesRegexp").items())
    draft.leftOut(item, "no assertion says that a header must not match", monitor);
  noteRest(http, notes);
  return found;
}

function headerAssertion(item: Item, { draft, monitor }: ProberNotes): DraftAssertion[] {
  const name = item.get("header").text() ?? "";
  const pattern = item.get("regexp").text() ?? "";
  const text = plainTextOf(pattern);
  if (item.get("allow_missing", "allowMissing").flag() !== true) {
    if (/^(?:\^?\.[*+]\$?)?$/.test(pattern)) return [header.exists(name)];
    if (text !== undefined) return [header.contains(name, text)];
  }
  draft.leftOut(
    item,
    "a header is compared with a text, not with an expression, and has to be there",
    monitor,
  );
  return [];
}

/** Settings that svc has no counterpart of, with the reason. */
const WITHOUT_COUNTERPART: readonly (readonly [names: readonly string[], reason: string])[] = [
  [["valid_http_versions", "validHTTPVersions"], "no assertion is about the version of HTTP"],
  [["oauth2"], "no tokens are fetched by OAuth 2; send one as a bearer token, or use a browser check"],
  [["fail_if_ssl", "failIfSSL"], "no assertion says that a connection has no TLS"],
  [["body_file"], "the file is not read; give the body itself"],
  [["cacheBustingQueryParamName"], "no parameter is added to URLs"],
];

function noteRest(http: Item, { draft, monitor }: ProberNotes): void {
  for (const [names, reason] of WITHOUT_COUNTERPART) {
    const item = http.get(...names);
    const isSet = Array.isArray(item.value)
      ? item.value.length > 0
      : item.isGiven() && item.value !== "" && item.value !== false;
    if (isSet) draft.leftOut(item, reason, monitor);
  }
  const tls = http.get("tls_config", "tlsConfig");
  const insecure = tls.get("insecure_skip_verify", "insecureSkipVerify");
  if (insecure.flag() === true) draft.leftOut(insecure, "certificates are always verified", monitor);
  const certificates = tls.get("cert_file", "clientCert", "ca_file", "caCert");
  if (certificates.filled() !== undefined) draft.leftOut(certificates, OWN_CERTIFICATES, monitor);
}

/** Returns the proxy of the settings. */
export function proberProxy(http: Item, { draft, monitor }: ProberNotes): Record<string, string> {
  return proxyOf(http.get("proxy_url", "proxyURL"), draft, monitor);
}

/** Returns the credentials of the settings. A secret that stands in a file gets a variable. */
export function proberAuth(http: Item, { draft, monitor }: ProberNotes): Record<string, string> | undefined {
  const fromFile = (path: string) => draft.variable(variableName(path));
  const basic = http.get("basic_auth", "basicAuth");
  if (basic.get("username").filled() !== undefined) {
    const inFile = basic.get("password_file").filled();
    const password = inFile === undefined ? (basic.get("password").text() ?? "") : fromFile(inFile);
    return { type: "basic", username: basic.get("username").text() ?? "", password };
  }
  const token = http.get("bearer_token", "bearerToken").filled();
  const authorization = http.get("authorization");
  const credentials = authorization.get("credentials").filled();
  const inFile = http.get("bearer_token_file").filled() ?? authorization.get("credentials_file").filled();
  const scheme = authorization.get("type").filled() ?? "Bearer";
  if (scheme.toLowerCase() !== "bearer") {
    if (authorization.isGiven()) draft.leftOut(authorization, "only bearer tokens are carried over", monitor);
    return undefined;
  }
  const value = token ?? credentials ?? (inFile === undefined ? undefined : fromFile(inFile));
  return value === undefined ? undefined : { type: "bearer", token: value };
}
