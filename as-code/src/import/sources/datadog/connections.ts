/** Tests of Datadog beside HTTP: SSL, TCP, DNS, ICMP, gRPC and WebSocket. */
import { body, type DraftAssertion } from "../../carry/assertions.ts";
import { entryOf } from "../../carry/entry-of.ts";
import { withBraceVariables } from "../../carry/http.ts";
import {
  dnsCheck,
  grpcCheck,
  pingCheck,
  tcpCheck,
  tlsCheck,
  websocketCheck,
} from "../../carry/other-types.ts";
import { noteParts } from "../../carry/parts.ts";
import { patternOf } from "../../carry/patterns.ts";
import { type Asked, askedOf } from "../../carry/spoken.ts";
import { type DraftMonitor, hasStandIn, type ImportDraft } from "../../draft.ts";
import type { Item } from "../../item.ts";
import { convertedAssertion, noteAssertion } from "./http.ts";

interface Context {
  draft: ImportDraft;
  name: string;
}

/** A test taken apart. */
interface Parts extends Context {
  request: Item;
  assertions: readonly Item[];
  timeoutMs: number | undefined;
}

type Converted = Pick<DraftMonitor, "type" | "config"> | { problem: string };

/** The check of a test, by its subtype. */
export const CONNECTIONS: Readonly<Record<string, (parts: Parts) => Converted>> = {
  ssl: sslTest,
  tcp: tcpTest,
  dns: dnsTest,
  icmp: icmpTest,
  grpc: grpcTest,
  websocket: websocketTest,
};

/** Versions of TLS by Datadog's names. */
const TLS_VERSIONS: Readonly<Record<string, string>> = {
  "1.0": "TLSv1",
  "1.1": "TLSv1.1",
  "1.2": "TLSv1.2",
  "1.3": "TLSv1.3",
};
const OLDEST_TLS = "TLSv1";

function sslTest({ request, assertions, timeoutMs, draft, name }: Parts): Converted {
  // A test that names no version takes any.
  let minProtocol = OLDEST_TLS;
  const rest = assertions.filter((one) => {
    const [type = "", operator = ""] = typeAndOperator(one);
    if (type !== "tlsVersion" && type !== "minTlsVersion") return true;
    const version = entryOf(TLS_VERSIONS, one.get("target").text() ?? "");
    const isMinimum = operator === "moreThanOrEqual" || (operator === "is" && version === "TLSv1.3");
    if (version === undefined || !isMinimum) return true;
    if (version > minProtocol) minProtocol = version;
    return false;
  });
  return tlsCheck({
    ...hostAndPort(request),
    serverName: request.get("servername").filled(),
    minProtocol,
    timeoutMs,
    ...askedOf("tls", asked(rest, { draft, name }), { draft, monitor: name }),
  });
}

function tcpTest({ request, assertions, timeoutMs, draft, name }: Parts): Converted {
  noteParts(request, { shouldTrackHops: "no route is traced" }, { draft, monitor: name });
  // A check whose target can't be reached fails without any assertion.
  const rest = assertions.filter((one) => {
    const isEstablished = typeAndOperator(one).join(" ") === "connection is";
    return !(isEstablished && one.get("target").text() === "established");
  });
  return tcpCheck({
    ...hostAndPort(request),
    timeoutMs,
    ...askedOf("tcp", asked(rest, { draft, name }), { draft, monitor: name }),
  });
}

function dnsTest({ request, assertions, timeoutMs, draft, name }: Parts): Converted {
  const rest: Item[] = [];
  const some: string[] = [];
  let every: string | undefined;
  let recordType: string | undefined;
  for (const one of assertions) {
    const [type = "", operator = ""] = typeAndOperator(one);
    if (type !== "recordSome" && type !== "recordEvery") {
      rest.push(one);
      continue;
    }
    const property = one.get("property").text()?.toUpperCase();
    recordType ??= property;
    const answer = one.get("target").text() ?? "";
    const isSaid = property === recordType && operator === "is" && isAnswer(recordType, answer);
    if (property !== recordType)
      draft.leftOut(one, `a check asks for records of one type, which is ${recordType} here`, name);
    else if (isSaid && type === "recordSome") some.push(answer);
    else if (isSaid && (every === undefined || every === answer)) every = answer;
    else draft.leftOut(one, "a DNS check compares whole answers, in the form that svc shows them in", name);
  }
  return dnsCheck({
    name: request.get("host").text() ?? "",
    recordType: recordType ?? "A",
    server: request.get("dnsServer").filled(),
    serverPort: request.get("dnsServerPort").number(),
    expectContains: some.length > 0 ? [...new Set(some)] : undefined,
    expectEquals: every === undefined ? undefined : [every],
    timeoutMs,
    assertions: askedOf("dns", asked(rest, { draft, name }), { draft, monitor: name }).assertions,
  });
}

/** True for a text that an answer of the type can be; answers of the type MX begin with their preference. */
function isAnswer(recordType: string | undefined, text: string): boolean {
  return text !== "" && (recordType !== "MX" || /^\d+ \S+$/.test(text));
}

/** Packets that Datadog sends where a test names no number. */
const PACKETS_DEFAULT = 4;

function icmpTest({ request, assertions, timeoutMs, draft, name }: Parts): Converted {
  const count = request.get("numberOfPackets").number() ?? PACKETS_DEFAULT;
  noteParts(request, { shouldTrackHops: "no route is traced" }, { draft, monitor: name });
  const lost: number[] = [];
  const roundTrips: number[] = [];
  const rest = assertions.filter((one) => {
    const [type = "", operator = ""] = typeAndOperator(one);
    const target = one.get("target").number();
    const losses = target === undefined ? undefined : lossesAllowed({ type, operator, target, count });
    if (losses !== undefined) {
      lost.push(losses);
      return false;
    }
    const isLimit = operator === "lessThan" || operator === "lessThanOrEqual";
    if (type !== "latency" || one.get("property").text() !== "max" || !isLimit || !target) return true;
    roundTrips.push(target);
    return false;
  });
  return pingCheck({
    host: request.get("host").text() ?? "",
    count,
    // A little more than the share itself, which is rounded where it is judged.
    maxLossPercent: lost.length > 0 ? Math.ceil((Math.min(...lost) / count) * 1_000) / 10 : undefined,
    maxRoundTripMs: roundTrips.length > 0 ? Math.min(...roundTrips) : undefined,
    timeoutMs,
    ...askedOf("ping", asked(rest, { draft, name }), { draft, monitor: name }),
  });
}

/** Returns how many packets may be lost; undefined for an assertion that says nothing of that kind. Loss is a share of 1. */
function lossesAllowed({
  type,
  operator,
  target,
  count,
}: {
  type: string;
  operator: string;
  target: number;
  count: number;
}): number | undefined {
  const within = (losses: number) => (losses >= 0 && losses < count ? losses : undefined);
  if (type === "packetLossPercentage") {
    if (operator === "lessThan") return within(Math.ceil(target * count - 1e-9) - 1);
    if (operator === "lessThanOrEqual") return within(Math.floor(target * count + 1e-9));
    return operator === "is" && target === 0 ? 0 : undefined;
  }
  if (type !== "packetsReceived") return undefined;
  if (operator === "moreThan") return within(count - Math.floor(target) - 1);
  if (operator === "moreThanOrEqual") return within(count - Math.ceil(target));
  return operator === "is" && target === count ? 0 : undefined;
}

const TLS_PORT = 443;

function grpcTest({ request, assertions, timeoutMs, draft, name }: Parts): Converted {
  const method = request.get("method").filled();
  if (request.get("callType").text() === "unary" || method !== undefined)
    return { problem: "it calls a method of the service's own; a gRPC check calls the health service" };
  request.skip("compressedProtoFile", "compressedJsonDescriptor", "message");
  const { host, port = TLS_PORT } = hostAndPort(request);
  draft.changed(
    request,
    `the export does not say whether TLS is spoken: it is at port ${TLS_PORT} alone; write tls: true elsewhere`,
    name,
  );
  // The check itself asks for a service that serves.
  const rest = assertions.filter((one) => {
    const isHealth = typeAndOperator(one).join(" ") === "grpcHealthcheckStatus is";
    return !(isHealth && one.get("target").number() === 1);
  });
  const metadata = textsOf(request.get("metadata"), { draft, name });
  const isTls = port === TLS_PORT;
  return grpcCheck({
    target: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`,
    tls: isTls,
    service: request.get("service").filled(),
    metadata,
    timeoutMs,
    ...askedOf("grpc", asked(rest, { draft, name }), { draft, monitor: name, tls: isTls }),
  });
}

function websocketTest({ request, assertions, timeoutMs, draft, name }: Parts): Converted {
  const url = withBraceVariables(request.get("url"), draft, name) ?? "";
  const headers = { ...textsOf(request.get("headers"), { draft, name }) };
  const auth = request.get("basicAuth");
  if (auth.isGiven()) {
    const [username = "", password = ""] = ["username", "password"].map(
      (field) => withBraceVariables(auth.get(field), draft, name) ?? "",
    );
    if ((auth.get("type").filled() ?? "web") !== "web" || hasStandIn(username + password))
      draft.leftOut(auth, "write its credentials as a header Authorization, in Base64", name);
    else headers.Authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  }
  return websocketCheck({
    url,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    send: withBraceVariables(request.get("message"), draft, name) || undefined,
    timeoutMs,
    ...askedOf("websocket", asked(assertions, { draft, name }), {
      draft,
      monitor: name,
      tls: /^wss:/i.test(url),
    }),
  });
}

function hostAndPort(request: Item): { host: string; port: number | undefined } {
  return { host: request.get("host").text() ?? "", port: request.get("port").number() };
}

function textsOf(holder: Item, { draft, name }: Context): Record<string, string> | undefined {
  const texts = holder
    .entries()
    .map(([key, value]) => [key, withBraceVariables(value, draft, name) ?? ""] as const);
  return texts.length > 0 ? Object.fromEntries(texts) : undefined;
}

function typeAndOperator(assertion: Item): (string | undefined)[] {
  return [assertion.get("type").text(), assertion.get("operator").text()];
}

/** Returns what the assertions ask for in the form of an HTTP check's; those that say nothing of that kind are noted. */
function asked(assertions: readonly Item[], context: Context): Asked[] {
  return assertions.flatMap((item) => {
    const found = receivedMessage(item, context) ?? convertedAssertion(item, context);
    if (found) return [{ item, assertions: found }];
    noteAssertion(item, context);
    return [];
  });
}

function receivedMessage(assertion: Item, { draft, name }: Context): DraftAssertion[] | undefined {
  if (assertion.get("type").text() !== "receivedMessage") return undefined;
  const target = withBraceVariables(assertion.get("target"), draft, name);
  if (target === undefined || target === "") return undefined;
  switch (assertion.get("operator").text()) {
    case "contains":
      return [body.contains(target)];
    case "is":
      return [body.is(target)];
    case "matches":
      return "pattern" in patternOf(target) ? [body.matches(target)] : undefined;
    default:
      return undefined;
  }
}
