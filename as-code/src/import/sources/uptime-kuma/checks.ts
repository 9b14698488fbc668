/** Monitors of Uptime Kuma as checks. */

import { body, type DraftAssertion, json, statusAmong } from "../../carry/assertions.ts";
import { entryOf } from "../../carry/entry-of.ts";
import { proxyOf } from "../../carry/http.ts";
import { dnsCheck, heartbeatCheck, pingCheck, tcpCheck, websocketCheck } from "../../carry/other-types.ts";
import { noteParts, REASON } from "../../carry/parts.ts";
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
  const notes = { draft: context.draft, monitor: context.name };
  switch (type) {
    case "http":
    case "keyword":
    case "json-query":
      return { type: "http", config: httpConfig(monitor, { ...context, type }) };
    case "port":
      noteParts(monitor, { smtpSecurity: "write startTls with tls: true", ...IP_FAMILY }, notes);
      return tcpCheck({ host, port: monitor.get("port").number(), timeoutMs });
    case "ping":
      if (monitor.get("packetSize").number() === PACKET_BYTES_DEFAULT) monitor.skip("packetSize");
      noteParts(
        monitor,
        {
          packetSize: REASON.packetSize,
          ping_per_request_timeout: "one time limit is for all packets of a run",
          ...IP_FAMILY,
        },
        notes,
      );
      return pingCheck({ host, count: monitor.get("ping_count").number() || undefined, timeoutMs });
    case "dns":
      return dnsMonitor(monitor, { ...context, host, timeoutMs });
    case "grpc-keyword":
      return { problem: "it calls a method of the service's own; a gRPC check calls the health service" };
    case "websocket-upgrade":
      return websocketMonitor(monitor, { ...context, timeoutMs });
    case "push":
      monitor.skip("pushToken", "timeout");
      return heartbeatCheck({ periodSeconds: monitor.get("interval").number(), graceSeconds: undefined });
    case "real-browser":
      return { problem: "a page in a browser needs a script here; svc init --type browser writes one" };
    default:
      return {
        problem: `svc has no counterpart of ${type === "" ? "a monitor without a type" : `${type} monitors`}`,
      };
  }
}

const IP_FAMILY = { ipFamily: REASON.ipVersion } as const;
/** Bytes of a packet where nobody chose another size. */
const PACKET_BYTES_DEFAULT = 56;

interface WithTime extends Context {
  timeoutMs: number | undefined;
}

/** Types of records of which a condition's `record` is the whole answer. */
const WHOLE_ANSWERS = /^(?:A|AAAA|CNAME|NS|PTR|TXT)$/;

function dnsMonitor(
  monitor: Item,
  { draft, name, host, timeoutMs }: WithTime & { host: string },
): ReturnType<typeof dnsCheck> {
  const recordType = monitor.get("dns_resolve_type").text() ?? "A";
  const conditions = fromJson(monitor.get("conditions"));
  const [first, ...others] = conditions.items();
  const isOne = first !== undefined && others.length === 0 && WHOLE_ANSWERS.test(recordType);
  const isEqual =
    isOne && first.get("variable").text() === "record" && first.get("operator").text() === "equals";
  const answer = isEqual ? first.get("value").filled() : undefined;
  first?.skip("type", "andOr", "id");
  if (first !== undefined && answer === undefined)
    draft.leftOut(
      conditions,
      "a DNS check compares whole answers alone: write expectContains or expectEquals",
      name,
    );
  noteParts(monitor, IP_FAMILY, { draft, monitor: name });
  return dnsCheck({
    name: host,
    recordType,
    server: monitor.get("dns_resolve_server").filled(),
    serverPort: monitor.get("port").number() || undefined,
    expectContains: answer === undefined ? undefined : [answer],
    timeoutMs,
  });
}

/** Code by which a WebSocket is closed normally, the one that Uptime Kuma accepts unless others are chosen. */
const CLOSED_NORMALLY = "1000";

function websocketMonitor(
  monitor: Item,
  { draft, name, timeoutMs }: WithTime,
): ReturnType<typeof websocketCheck> {
  const codes = monitor.get("accepted_statuscodes");
  if (codes.items().some((code) => code.text() !== CLOSED_NORMALLY))
    draft.leftOut(codes, "no check asks for the code by which a connection is closed", name);
  noteParts(
    monitor,
    {
      wsIgnoreSecWebsocketAcceptHeader: "a handshake is always checked as a whole",
      ignoreTls: REASON.alwaysVerified,
      ...IP_FAMILY,
    },
    { draft, monitor: name },
  );
  const subprotocols = (monitor.get("wsSubprotocol").text() ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  return websocketCheck({
    url: monitor.get("url").text() ?? "",
    subprotocols: subprotocols.length > 0 ? subprotocols : undefined,
    timeoutMs,
  });
}

/** Returns the value of a text that is JSON; any other item as it is. */
function fromJson(item: Item): Item {
  if (typeof item.value !== "string") return item;
  try {
    return item.as(JSON.parse(item.value));
  } catch {
    return item;
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
  noteParts(
    monitor,
    { ignoreTls: REASON.alwaysVerified, cacheBust: "no parameter is added to URLs", ...IP_FAMILY },
    { draft, monitor: name },
  );
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
    ...certificatesOf(monitor, { draft, name }),
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
function certificatesOf(monitor: Item, { draft, name }: Context): Record<string, string> {
  if (monitor.get("authMethod").text() !== "mtls") return {};
  const fields = { caCertificates: "tlsCa", clientCertificate: "tlsCert", clientKey: "tlsKey" };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, theirs]) => {
      const pem = monitor.get(theirs).filled();
      if (pem?.includes("-----BEGIN ")) return [[field, pem]];
      if (pem !== undefined) draft.leftOut(monitor.get(theirs), `it is no PEM; write ${field}`, name);
      return [];
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
