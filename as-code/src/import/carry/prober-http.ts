/**
 * The HTTP settings that blackbox_exporter and the tools built on it share, under their names in YAML (`valid_status_codes`) and in JSON
 * (`validStatusCodes`).
 */
import { type ImportDraft, variableName } from "../draft.ts";
import type { Item } from "../item.ts";
import { body, type DraftAssertion, header, statusAmong, statusWithin } from "./assertions.ts";
import { OWN_CERTIFICATES, proxyOf } from "./http.ts";
import { noteParts, REASON } from "./parts.ts";
import { patternOfGo, plainTextOf } from "./patterns.ts";
import { noteProberNetwork } from "./prober-checks.ts";

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
const HTTP_VERSIONS = "no assertion is about the version of HTTP";
const WITHOUT_TLS = "no assertion says that a connection has no TLS";
const WITHOUT_COUNTERPART: Readonly<Record<string, string>> = {
  valid_http_versions: HTTP_VERSIONS,
  validHTTPVersions: HTTP_VERSIONS,
  oauth2: "no tokens are fetched by OAuth 2; send one as a bearer token, or use a browser check",
  fail_if_ssl: WITHOUT_TLS,
  failIfSSL: WITHOUT_TLS,
  body_file: "the file is not read; give the body itself",
  cacheBustingQueryParamName: "no parameter is added to URLs",
  proxyConnectHeaders: "no headers are sent to a proxy",
  proxy_connect_header: "no headers are sent to a proxy",
  no_proxy: "all requests of a check go through its proxy",
  proxy_from_environment: "no variables of the environment name a proxy",
  enable_http3: HTTP_VERSIONS,
};

const TLS_WITHOUT_COUNTERPART: Readonly<Record<string, string>> = {
  insecure_skip_verify: REASON.alwaysVerified,
  insecureSkipVerify: REASON.alwaysVerified,
  server_name: "the name that is sent in TLS is that of the URL",
  serverName: "the name that is sent in TLS is that of the URL",
  min_version: "the version of TLS is chosen by checks of type tls alone",
  max_version: "the version of TLS is chosen by checks of type tls alone",
  ...Object.fromEntries(
    ["cert_file", "key_file", "ca_file", "cert", "key", "ca", "clientCert", "clientKey", "caCert"].map(
      (name) => [name, OWN_CERTIFICATES],
    ),
  ),
};

function noteRest(http: Item, { draft, monitor }: ProberNotes): void {
  noteProberNetwork(http, { draft, monitor });
  noteParts(http, WITHOUT_COUNTERPART, { draft, monitor });
  noteParts(http.get("tls_config", "tlsConfig"), TLS_WITHOUT_COUNTERPART, { draft, monitor });
  // Compressed bodies are taken apart by themselves; HTTP/2 is no choice that changes the answer.
  http.skip("compression", "enable_http2");
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
