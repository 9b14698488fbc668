/** Monitors of Uptime Kuma as checks. */

import { body, type DraftAssertion, json, statusAmong } from "../../carry/assertions.ts";
import { entryOf } from "../../carry/entry-of.ts";
import { proxyOf } from "../../carry/http.ts";
import { dnsCheck, heartbeatCheck, pingCheck, tcpCheck, websocketCheck } from "../../carry/other-types.ts";
import { jsonValueOf, simplePath } from "../../carry/patterns.ts";
import type { DraftMonitor, ImportDraft } from "../../draft.ts";
import type { Item } from "../../item.ts";

interface Context {
  draft: ImportDraft;
  name: string;
}

/** The monitor's surroundings besides: the proxies by their ids. */
interface WithProxies extends Context {
  proxies: ReadonlyMap<string, Item>;
}

/** Returns the check, or the reason why there is none. */
export function checkOf(
  monitor: Item,
  context: WithProxies,
): Pick<DraftMonitor, "type" | "config"> | { problem: string } {
  const type = monitor.get("type").text() ?? "";
  const host = monitor.get("hostname").text() ?? "";
  const timeoutMs = timeoutOf(monitor);
  switch (type) {
    case "http":
    case "keyword":
    case "json-query":
      return { type: "http", config: httpConfig(monitor, { ...context, type }) };
    case "port":
      return tcpCheck({ host, port: monitor.get("port").number(), timeoutMs });
    case "ping":
      return pingCheck({ host, timeoutMs });
    case "dns":
      return dnsCheck({
        name: host,
        recordType: monitor.get("dns_resolve_type").text() ?? "A",
        server: monitor.get("dns_resolve_server").filled(),
        timeoutMs,
      });
    case "grpc-keyword":
      return { problem: "it calls a method of the service's own; a gRPC check calls the health service" };
    case "websocket-upgrade":
      return websocketCheck({ url: monitor.get("url").text() ?? "", timeoutMs });
    case "push":
      return heartbeatCheck({ periodSeconds: monitor.get("interval").number(), graceSeconds: undefined });
    case "real-browser":
      return { problem: "a page in a browser needs a script here; svc init --type browser writes one" };
    default:
      return {
        problem: `svc has no counterpart of ${type === "" ? "a monitor without a type" : `${type} monitors`}`,
      };
  }
}

/** Returns the time limit; without one it is four fifths of the interval there. */
function timeoutOf(monitor: Item): number | undefined {
  const seconds = monitor.get("timeout").number();
  const interval = monitor.get("interval").number();
  if (seconds !== undefined && seconds > 0) return Math.round(seconds * 1_000);
  return interval === undefined ? undefined : Math.max(1, Math.round(interval * 800));
}

function httpConfig(
  monitor: Item,
  { draft, name, type, proxies }: WithProxies & { type: string },
): Record<string, unknown> {
  const method = monitor.get("method").filled()?.toUpperCase() ?? "GET";
  const text = monitor.get("body").filled();
  const headers = headersOf(monitor.get("headers"), { draft, name });
  const encodings: Readonly<Record<string, string>> = {
    form: "application/x-www-form-urlencoded",
    xml: "text/xml; charset=utf-8",
  };
  const contentType = entryOf(encodings, monitor.get("httpBodyEncoding").text() ?? "") ?? "application/json";
  if (text !== undefined && !Object.keys(headers).some((one) => one.toLowerCase() === "content-type"))
    headers["Content-Type"] = contentType;
  if (monitor.get("ignoreTls").flag() === true)
    draft.leftOut(monitor.get("ignoreTls"), "certificates are always verified", name);
  const maxRedirects = monitor.get("maxredirects").number();
  return {
    url: monitor.get("url").text() ?? "",
    method,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    body: text,
    auth: authOf(monitor, { draft, name }),
    ...(maxRedirects === 0 ? { followRedirects: false } : { maxRedirects }),
    timeoutMs: timeoutOf(monitor),
    ...proxyOfMonitor(monitor, { draft, name, proxies }),
    ...certificatesOf(monitor),
    assertions: [
      ...statusAssertions(monitor.get("accepted_statuscodes"), { draft, name }),
      ...bodyAssertions(monitor, { draft, name, type }),
    ],
  };
}

function proxyOfMonitor(monitor: Item, { draft, name, proxies }: WithProxies): Record<string, string> {
  const id = monitor.get("proxyId");
  if (!id.isGiven()) return {};
  const proxy = proxies.get(id.text() ?? "");
  if (!proxy) {
    draft.leftOut(id, "the export does not have its proxy; write proxyUrl", name);
    return {};
  }
  const [username = "", password = ""] =
    proxy.get("auth").flag() === true ? [proxy.get("username").text(), proxy.get("password").text()] : [];
  const credentials =
    username === ""
      ? ""
      : `${encodeURIComponent(username.toWellFormed())}:${encodeURIComponent(password.toWellFormed())}@`;
  const [protocol, host, port] = ["protocol", "host", "port"].map((field) => proxy.get(field).text() ?? "");
  return proxyOf(id.as(`${protocol}://${credentials}${host}:${port}`), draft, name);
}

/** Returns the certificates of a monitor that signs in by them; what is no PEM is not taken for one. */
function certificatesOf(monitor: Item): Record<string, string> {
  if (monitor.get("authMethod").text() !== "mtls") return {};
  const fields = { caCertificates: "tlsCa", clientCertificate: "tlsCert", clientKey: "tlsKey" };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, theirs]) => {
      const pem = monitor.get(theirs).filled();
      return pem?.includes("-----BEGIN ") ? [[field, pem]] : [];
    }),
  );
}

function headersOf(item: Item, { draft, name }: Context): Record<string, string> {
  const text = item.filled();
  if (text === undefined) return {};
  try {
    const value: unknown = typeof item.value === "string" ? JSON.parse(text) : item.value;
    return Object.fromEntries(
      item
        .as(value)
        .entries()
        .map(([header, one]) => [header, one.text() ?? ""]),
    );
  } catch {
    draft.leftOut(item, "its headers are no JSON", name);
    return {};
  }
}

function authOf(monitor: Item, { draft, name }: Context): Record<string, string> | undefined {
  const method = monitor.get("authMethod").filled() ?? "";
  const username = monitor.get("basic_auth_user").filled();
  if (username !== undefined && (method === "" || method === "basic"))
    return { type: "basic", username, password: monitor.get("basic_auth_pass").text() ?? "" };
  const token = monitor.get("bearer_token").filled();
  if (method === "bearer" && token !== undefined) return { type: "bearer", token };
  if (method !== "" && method !== "basic" && method !== "null" && method !== "mtls")
    draft.leftOut(monitor.get("authMethod"), `${method} is no way of signing in that checks know`, name);
  return undefined;
}

function statusAssertions(codes: Item, { draft, name }: Context): DraftAssertion[] {
  const ranges = codes.items().flatMap((code) => {
    const [, min, max] = /^\s*(\d{3})(?:\s*-\s*(\d{3}))?\s*$/.exec(code.text() ?? "") ?? [];
    if (min === undefined) draft.leftOut(code, "no status code and no range of them", name);
    return min === undefined ? [] : [{ min: Number(min), max: Number(max ?? min) }];
  });
  const { assertions, wider } = statusAmong(ranges.length > 0 ? ranges : [{ min: 200, max: 299 }]);
  if (wider)
    draft.changed(
      codes,
      `any status from ${wider.min} to ${wider.max} passes: an assertion has no list of statuses`,
      name,
    );
  return assertions;
}

function bodyAssertions(monitor: Item, { draft, name, type }: Context & { type: string }): DraftAssertion[] {
  const keyword = monitor.get("keyword").filled();
  if (type === "keyword")
    return keyword === undefined
      ? []
      : [monitor.get("invertKeyword").flag() === true ? body.lacks(keyword) : body.contains(keyword)];
  if (type !== "json-query") return [];
  const query = monitor.get("jsonPath");
  const path = simplePath(query.text() ?? "");
  const operator = monitor.get("jsonPathOperator").filled() ?? "==";
  const expected = monitor.get("expectedValue");
  const text = expected.text() ?? "";
  if (path !== undefined && ["==", "!=", "contains"].includes(operator)) {
    if (operator === "contains") return [json.contains(path, text)];
    const value = jsonValueOf(text);
    if (typeof value !== "string")
      draft.changed(expected, `the value is compared with the ${typeof value}, not with its text`, name);
    return [operator === "==" ? json.is(path, value) : json.isNot(path, value)];
  }
  draft.leftOut(
    query,
    path === undefined
      ? "only plain paths are followed in JSON, no JSONata"
      : `no assertion compares by ${operator}`,
    name,
  );
  return [];
}
