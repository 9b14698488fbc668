/** Checks of Checkly beside HTTP and browser: TCP, ICMP, DNS and heartbeats. */
import { body, type DraftAssertion, respondsWithin } from "../../carry/assertions.ts";
import { entryOf } from "../../carry/entry-of.ts";
import { withBraceVariables } from "../../carry/http.ts";
import { dnsCheck, heartbeatCheck, pingCheck, tcpCheck } from "../../carry/other-types.ts";
import { type Asked, askedOf } from "../../carry/spoken.ts";
import type { DraftMonitor, ImportDraft } from "../../draft.ts";
import type { Item } from "../../item.ts";

interface Context {
  draft: ImportDraft;
  name: string;
}

type Converted = Pick<DraftMonitor, "type" | "config">;

/** The check, by Checkly's type. */
export const CONNECTIONS: Readonly<Record<string, (check: Item, context: Context) => Converted>> = {
  TCP: tcp,
  ICMP: icmp,
  DNS: dns,
  HEARTBEAT: heartbeat,
};

function tcp(check: Item, { draft, name }: Context): Converted {
  const request = check.get("request");
  return tcpCheck({
    host: request.get("hostname").text() ?? "",
    port: request.get("port").number(),
    send: withBraceVariables(request.get("data"), draft, name) || undefined,
    timeoutMs: check.get("maxResponseTime").number(),
    ...askedOf("tcp", asked(request, { draft, name }), { draft, monitor: name }),
  });
}

/** Packets that Checkly sends where a check names no number. */
const PACKETS_DEFAULT = 10;

function icmp(check: Item, { draft, name }: Context): Converted {
  const request = check.get("request");
  const count = request.get("pingCount").number() ?? PACKETS_DEFAULT;
  const losses: number[] = [];
  const roundTrips: number[] = [];
  const threshold = check.get("maxPacketLossThreshold").number();
  // A loss of this share fails, so that one packet less may be lost.
  if (threshold !== undefined) losses.push(lossBelow(threshold, count));
  const rest = request
    .get("assertions")
    .items()
    .filter((one) => {
      const [source = "", comparison = "", property = ""] = ["source", "comparison", "property"].map(
        (field) => one.get(field).text() ?? "",
      );
      const target = one.get("target").number();
      if (target === undefined) return true;
      if (
        source === "JSON_RESPONSE" &&
        property === "$.packetLoss" &&
        comparison === "LESS_THAN" &&
        target > 0
      )
        losses.push(lossBelow(target, count));
      else if (
        source === "JSON_RESPONSE" &&
        property === "$.packetLoss" &&
        comparison === "EQUALS" &&
        target === 0
      )
        losses.push(0);
      else if (source === "LATENCY" && property === "max" && comparison === "LESS_THAN" && target > 0)
        roundTrips.push(target);
      else return true;
      return false;
    });
  for (const one of rest) noteAssertion(one, { draft, name });
  return pingCheck({
    host: request.get("hostname").text() ?? "",
    count,
    maxLossPercent: losses.length > 0 ? Math.min(...losses) : undefined,
    maxRoundTripMs: roundTrips.length > 0 ? Math.min(...roundTrips) : undefined,
    timeoutMs: check.get("maxResponseTime").number(),
  });
}

/** Returns the largest share of so many packets, in percent with one decimal, that is less than a share. */
function lossBelow(percent: number, count: number): number {
  const packets = Math.max(0, Math.ceil((percent * count) / 100 - 1e-9) - 1);
  return Math.ceil((Math.min(packets, count - 1) / count) * 1_000) / 10;
}

function dns(check: Item, { draft, name }: Context): Converted {
  const request = check.get("request");
  let expectedRcode: string | undefined;
  const found = request
    .get("assertions")
    .items()
    .filter((one) => {
      const isCode =
        one.get("source").text() === "RESPONSE_CODE" && one.get("comparison").text() === "EQUALS";
      const code = one.get("target").text()?.toUpperCase();
      if (!isCode || code === undefined || (expectedRcode !== undefined && code !== expectedRcode))
        return true;
      expectedRcode = code;
      return false;
    });
  return dnsCheck({
    name: request.get("query").text() ?? "",
    recordType: request.get("recordType").text() ?? "A",
    server: request.get("nameServer").filled(),
    serverPort: request.get("port").number(),
    transport: request.get("protocol").text(),
    expectedRcode,
    timeoutMs: check.get("maxResponseTime").number(),
    assertions: askedOf("dns", converted(found, { draft, name }), { draft, monitor: name }).assertions,
  });
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

function heartbeat(check: Item): Converted {
  const settings = check.get("heartbeat");
  // The service gives each heartbeat an address of its own.
  settings.skip("id", "pingToken", "pingUrl", "alertSettings");
  return heartbeatCheck({
    periodSeconds: secondsOf(settings.get("period"), settings.get("periodUnit")),
    graceSeconds: secondsOf(settings.get("grace"), settings.get("graceUnit")),
  });
}

function asked(request: Item, context: Context): Asked[] {
  return converted(request.get("assertions").items(), context);
}

/** Returns the assertions in the form of an HTTP check's; those that say nothing of that kind are noted. */
function converted(assertions: readonly Item[], { draft, name }: Context): Asked[] {
  return assertions.flatMap((item) => {
    const found = convertedOne(item, { draft, name });
    if (found) return [{ item, assertions: [found] }];
    noteAssertion(item, { draft, name });
    return [];
  });
}

function convertedOne(assertion: Item, { draft, name }: Context): DraftAssertion | undefined {
  const comparison = assertion.get("comparison").text();
  const target = withBraceVariables(assertion.get("target"), draft, name) ?? "";
  const isWhole =
    assertion.get("regex").filled() === undefined && assertion.get("property").filled() === undefined;
  if (target === "" || !isWhole) return undefined;
  switch (assertion.get("source").text()) {
    case "RESPONSE_TIME": {
      const max = Number(target);
      return comparison === "LESS_THAN" && max >= 0 ? respondsWithin(max) : undefined;
    }
    case "RESPONSE_DATA":
      if (comparison === "CONTAINS") return body.contains(target);
      return comparison === "EQUALS" ? body.is(target) : undefined;
    default:
      return undefined;
  }
}

function noteAssertion(assertion: Item, { draft, name }: Context): void {
  const kind = ["source", "property", "comparison"].map((field) => assertion.get(field).text() ?? "");
  draft.leftOut(assertion, `no check says what this one says (${kind.filter(Boolean).join(" ")})`, name);
}
