/**
 * The settings of TCP, DNS, ICMP and gRPC that blackbox_exporter and the tools built on it share, under their names in YAML
 * (`query_response`) and in JSON (`queryResponse`).
 */
import type { StartTlsProtocol } from "@svc/contract";
import type { DraftMonitor } from "../draft.ts";
import type { Item } from "../item.ts";
import { entryOf } from "./entry-of.ts";
import { OWN_CERTIFICATES } from "./http.ts";
import { dnsCheck, grpcCheck, hostAndPort, pingCheck, tcpCheck, tlsCheck } from "./other-types.ts";
import { noteParts, type PartNotes, REASON } from "./parts.ts";
import { patternOfGo } from "./patterns.ts";

type Converted = Pick<DraftMonitor, "type" | "config">;

/** Where and how long a prober probes. */
interface ProberTarget extends PartNotes {
  target: string;
  timeoutMs: number | undefined;
}

/** Notes the network settings of a prober, of HTTP included. */
export function noteProberNetwork(settings: Item, { draft, monitor }: PartNotes): void {
  // Which protocol of IP is fallen back to says nothing without one that is preferred.
  settings.skip("ip_protocol_fallback", "ipProtocolFallback");
  const version = settings.get("ipVersion");
  if (!/^(?:Any)?$/i.test(version.text() ?? "")) draft.leftOut(version, REASON.ipVersion, monitor);
  noteParts(
    settings,
    {
      preferred_ip_protocol: REASON.ipVersion,
      source_ip_address: REASON.sourceAddress,
      sourceIpAddress: REASON.sourceAddress,
    },
    { draft, monitor },
  );
}

/** Versions of TLS by blackbox_exporter's names. */
const TLS_VERSIONS: Readonly<Record<string, string>> = {
  TLS10: "TLSv1",
  TLS11: "TLSv1.1",
  TLS12: "TLSv1.2",
  TLS13: "TLSv1.3",
};

/** Returns how TLS is spoken, and notes what of the settings no check has. */
function tlsSettings(tls: Item, { draft, monitor }: PartNotes) {
  noteParts(
    tls,
    {
      insecure_skip_verify: REASON.alwaysVerified,
      insecureSkipVerify: REASON.alwaysVerified,
      max_version: "the newest version of TLS is not chosen by checks",
      ...Object.fromEntries(
        ["ca_file", "cert_file", "key_file", "ca", "cert", "key", "caCert", "clientCert", "clientKey"].map(
          (name) => [name, OWN_CERTIFICATES],
        ),
      ),
    },
    { draft, monitor },
  );
  const oldest = tls.get("min_version");
  return { serverName: tls.get("server_name", "serverName").filled(), oldest };
}

function noteOldest(oldest: Item, { draft, monitor }: PartNotes): void {
  if (oldest.filled() !== undefined)
    draft.leftOut(oldest, "the oldest version of TLS is chosen by checks of type tls alone", monitor);
}

/** A connection, with what is said over it; a check of type tls where nothing is said over TLS. */
export function proberTcp(settings: Item, { target, timeoutMs, ...notes }: ProberTarget): Converted {
  const { host, port } = hostAndPort(target);
  const tls = settings.get("tls").flag() === true;
  const spoken = dialogueOf(settings.get("query_response", "queryResponse"), notes);
  noteProberNetwork(settings, notes);
  const tlsConfig = settings.get("tls_config", "tlsConfig");
  if (!tls && spoken.startTls === undefined) {
    // Without TLS its settings say nothing.
    tlsConfig.settle();
    return tcpCheck({ host, port, timeoutMs, ...spoken });
  }
  const { serverName, oldest } = tlsSettings(tlsConfig, notes);
  const { startTls, ...texts } = spoken;
  if (Object.values(texts).some((text) => text !== undefined)) {
    noteOldest(oldest, notes);
    return tcpCheck({ host, port, timeoutMs, tls: true, serverName, startTls, ...texts });
  }
  const minProtocol = entryOf(TLS_VERSIONS, oldest.text() ?? "");
  return tlsCheck({ host, port, timeoutMs, serverName, startTls, minProtocol });
}

interface Dialogue {
  send?: string;
  expectMatches?: string;
  startTls?: StartTlsProtocol;
}

/** Texts by which a protocol is asked for TLS. */
const START_TLS: readonly (readonly [sent: RegExp, protocol: StartTlsProtocol])[] = [
  [/^STLS\b/im, "pop3"],
  [/^AUTH TLS\b/im, "ftp"],
  [/^(?:EHLO|HELO)\b/im, "smtp"],
  [/^\S+ STARTTLS\b/im, "imap"],
];

/** Returns what is said, of a list of texts that are waited for and sent in turns. */
function dialogueOf(list: Item, { draft, monitor }: PartNotes): Dialogue {
  const steps = list.items();
  const found: Dialogue = {};
  const start = steps.findIndex((step) => step.get("starttls", "startTLS").flag() === true);
  if (start >= 0) {
    const sent = steps.slice(0, start + 1).map((step) => step.get("send").text() ?? "");
    const protocol = START_TLS.find(([pattern]) => pattern.test(sent.join("\n")))?.[1];
    if (protocol === undefined) {
      draft.leftOut(list, "TLS is asked for in a protocol that svc can't name; write startTls", monitor);
      return {};
    }
    found.startTls = protocol;
    for (const step of steps.slice(0, start + 1)) step.settle();
  }
  const expected: string[] = [];
  for (const step of steps.slice(start + 1)) addStep(step, { found, expected, draft, monitor });
  if (expected.length > 0) found.expectMatches = expected.join("[\\s\\S]*");
  return found;
}

function addStep(
  step: Item,
  { found, expected, draft, monitor }: PartNotes & { found: Dialogue; expected: string[] },
): void {
  const expect = step.get("expect");
  const pattern = textOf(expect);
  if (pattern !== undefined) {
    const converted = linePattern(pattern);
    if ("problem" in converted) draft.leftOut(expect, converted.problem, monitor);
    else {
      expected.push(converted.pattern);
      if (found.send !== undefined && expected.length > 1)
        draft.changed(expect, "the text is sent at once, and all answers are looked at together", monitor);
    }
  }
  const send = step.get("send");
  const text = textOf(send);
  if (text === undefined) return;
  if (found.send !== undefined) draft.leftOut(send, "a check sends one text", monitor);
  else if (/\$\{?\w/.test(text)) draft.leftOut(send, "no text is made of parts of an answer", monitor);
  else {
    if (expected.length > 0)
      draft.changed(send, "the text is sent at once, before anything was answered", monitor);
    found.send = `${text}\n`;
  }
}

/** Returns a text; of bytes in Base64, which lists in JSON have, the text that they are. */
function textOf(item: Item): string | undefined {
  const text = item.filled();
  if (text === undefined || !/\.queryResponse\[/.test(item.origin.path)) return text;
  const decoded = Buffer.from(text, "base64");
  return decoded.toString("base64") === text ? decoded.toString("utf8") : text;
}

/** Returns an expression that matches within many lines what the Go expression does in one: each side of a bar has ends of its own. */
function linePattern(pattern: string): { pattern: string } | { problem: string } {
  const sides = sidesOf(pattern);
  if (sides.length > 1) {
    const converted = sides.map(linePattern);
    const problem = converted.find((side) => "problem" in side);
    return problem ?? { pattern: converted.map((side) => ("pattern" in side ? side.pattern : "")).join("|") };
  }
  const converted = patternOfGo(pattern);
  if ("problem" in converted) return converted;
  const isStart = converted.pattern.startsWith("^");
  const isEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(converted.pattern);
  const inner = converted.pattern.slice(isStart ? 1 : 0, isEnd ? -1 : undefined);
  return patternOfGo(`${isStart ? "(?:^|\\n)" : ""}${inner}${isEnd ? "(?=\\r?\\n|$)" : ""}`);
}

/** Splits an expression at the bars that stand in no group and in no class. */
function sidesOf(pattern: string): string[] {
  const sides = [""];
  let depth = 0;
  let isInClass = false;
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] as string;
    if (character === "|" && depth === 0 && !isInClass) {
      sides.push("");
      continue;
    }
    if (character === "[") isInClass = true;
    else if (character === "]") isInClass = false;
    else if (character === "(" && !isInClass) depth++;
    else if (character === ")" && !isInClass) depth--;
    const length = character === "\\" ? 2 : 1;
    sides[sides.length - 1] += pattern.slice(at, at + length);
    at += length - 1;
  }
  return sides;
}

/** Parts of replies that no check looks at. */
const OTHER_RECORDS = "a DNS check judges the answers, by whole texts: write expectContains or expectEquals";

/** A question to the name server that is the target, or to that of the settings. */
export function proberDns(
  settings: Item,
  {
    name,
    server,
    timeoutMs,
    draft,
    monitor,
  }: Omit<ProberTarget, "target"> & { name: string; server: string | undefined },
): Converted {
  const notes = { draft, monitor };
  noteProberNetwork(settings, notes);
  noteParts(
    settings,
    Object.fromEntries(
      [
        "validate_answer_rrs",
        "validate_authority_rrs",
        "validate_additional_rrs",
        "validateAnswerRRS",
        "validateAuthorityRRS",
        "validateAdditionalRRS",
        "validateAnswer",
        "validateAuthority",
        "validateAdditional",
      ].map((part) => [part, OTHER_RECORDS]),
    ),
    notes,
  );
  const overTls = settings.get("dns_over_tls");
  if (overTls.flag() === true)
    draft.leftOut(overTls, "no check asks by DNS over TLS; DNS over HTTPS is", monitor);
  settings.get("tls_config").settle();
  if (settings.get("recursion_desired").flag() === false)
    draft.leftOut(settings.get("recursion_desired"), "checks always ask for recursion", monitor);
  const queryClass = settings.get("query_class");
  if (!["IN", undefined].includes(queryClass.filled()?.toUpperCase()))
    draft.leftOut(queryClass, "checks ask for records of the class IN", monitor);
  const codes = settings.get("valid_rcodes", "validRCodes");
  const [code, ...others] = codes.items().flatMap((one) => one.filled()?.toUpperCase() ?? []);
  const isOne = code !== undefined && others.length === 0 && EXPECTED_RCODES.includes(code);
  if (code !== undefined && !isOne)
    draft.leftOut(codes, `a check expects one code, of ${EXPECTED_RCODES.join(", ")}`, monitor);
  return dnsCheck({
    name,
    recordType: settings.get("query_type", "recordType").text() ?? (settings.has("query_name") ? "ANY" : "A"),
    server,
    serverPort: settings.get("port").number(),
    transport: settings.get("transport_protocol", "protocol").text(),
    expectedRcode: isOne && code !== "NOERROR" ? code : undefined,
    timeoutMs,
  });
}

const EXPECTED_RCODES = ["NOERROR", "NXDOMAIN", "SERVFAIL", "REFUSED"];

/** Echoes. */
export function proberPing(settings: Item, { target, timeoutMs, ...notes }: ProberTarget): Converted {
  noteProberNetwork(settings, notes);
  noteParts(
    settings,
    Object.fromEntries(
      ["payload_size", "payloadSize", "dont_fragment", "dontFragment", "ttl"].map((part) => [
        part,
        REASON.packetSize,
      ]),
    ),
    notes,
  );
  return pingCheck({ host: target, count: settings.get("packetCount").number() || undefined, timeoutMs });
}

/** A call of the health service. */
export function proberGrpc(settings: Item, { target, timeoutMs, ...notes }: ProberTarget): Converted {
  noteProberNetwork(settings, notes);
  const tls = settings.get("tls").flag() === true;
  const tlsConfig = settings.get("tls_config", "tlsConfig");
  let serverName: string | undefined;
  if (tls) {
    const spoken = tlsSettings(tlsConfig, notes);
    noteOldest(spoken.oldest, notes);
    serverName = spoken.serverName;
  } else tlsConfig.settle();
  const metadata = settings.get("metadata").entries();
  return grpcCheck({
    target,
    tls,
    serverName,
    service: settings.get("service").filled(),
    metadata:
      metadata.length > 0
        ? Object.fromEntries(
            metadata.map(([name, value]) => [
              name,
              value.text() ??
                value
                  .items()
                  .map((one) => one.text() ?? "")
                  .join(", "),
            ]),
          )
        : undefined,
    timeoutMs,
  });
}
