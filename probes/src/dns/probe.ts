/** The probe of DNS checks: asks a name server, and judges its answers. */
import dns from "node:dns";
import { type CheckConfigOf, hostAndPortOf, normalDnsAnswer, type ResultDetail } from "@svc/contract";
import { createEgress } from "@svc/egress";
import { storableText, textPreview } from "../base/storable-text.ts";
import { runMeasured, targetUrl } from "../measured-run/measured-run.ts";
import { connectionSettingsOf } from "../run/connection-settings.ts";
import { RunnerFailure, rethrowFailure, TargetFailure } from "../run/failures.ts";
import type { Probe } from "../run/probe.ts";
import type { RunScope } from "../run/run-scope.ts";
import { askHttps, askTcp, askUdp } from "./ask.ts";
import { type Question, questionOf, type Reply } from "./message.ts";

type DnsConfig = CheckConfigOf<"dns">;

const DNS_PORT = 53;
/** Answers that the evidence lists. */
const ANSWERS_KEPT_MAX = 100;

/** Carries out one run of a DNS check. */
export const dnsProbe = {
  type: "dns",
  needsHost: false,
  run(request, context) {
    const config = request.config as DnsConfig;
    const { timeoutMs, assertions, resolver } = config;
    return runMeasured(request, context, {
      url: serverOf(config),
      timeoutMs,
      assertions,
      connection: connectionSettingsOf(config, config.transport === "https" ? [resolver as string] : []),
      keepsBody: true,
      measure: (scope, detail) =>
        examine(
          config,
          { ...scope, ...(resolver === undefined && { egress: TO_OWN_RESOLVERS }) },
          {
            scope,
            detail,
          },
        ),
    });
  },
} as const satisfies Probe;

/** The way to the runner's own name servers, which mostly have private addresses and which every lookup of a name asks, too. */
const TO_OWN_RESOLVERS = createEgress({ allowPrivate: true });

/** Returns the name server that is asked. @throws RunnerFailure when this runner has none of its own */
function serverOf({ resolver, transport }: DnsConfig): URL {
  if (transport === "https") return new URL(resolver as string);
  const asked = resolver ?? dns.getServers()[0] ?? "127.0.0.1";
  const { host, port } = hostAndPortOf(asked, DNS_PORT) ?? { host: asked, port: DNS_PORT };
  return targetUrl("dns", host, port);
}

async function examine(
  config: DnsConfig,
  way: RunScope,
  { scope, detail }: { scope: RunScope; detail: Partial<ResultDetail> },
): Promise<undefined> {
  const { domain, recordType, transport, resolver } = config;
  // The runner's own name servers know the operator's network, of which a run that may not connect there learns nothing.
  const isRestricted = resolver === undefined && !scope.egress.allowPrivate;
  if (isRestricted) assertAllowed(domain, scope);
  const question = questionOf(domain, recordType);
  const server = way.url;
  const reply = await ask(transport, { server, question }, way).catch(async (error: unknown) => {
    if (resolver === undefined) await assertResolverWorks(domain, { scope, error });
    throw error;
  });
  // A handshake of DNS over HTTPS is noted with the scope that it was given.
  scope.tls = way.tls;
  if (isRestricted && (recordType === "A" || recordType === "AAAA"))
    for (const { text } of reply.answers) assertAllowed(text, scope, domain);
  const { rcode, isAuthoritative, answers } = reply;
  detail.dnsJson = {
    server: server.host,
    rcode,
    isAuthoritative,
    answers: answers
      .slice(0, ANSWERS_KEPT_MAX)
      .map(({ type, text, ttlSeconds }) => ({ type, text: storableText(text.slice(0, 500)), ttlSeconds })),
    answerCount: answers.length,
  };
  judge(config, reply, server.host);
}

function ask(
  transport: DnsConfig["transport"],
  { server, question }: { server: URL; question: Question },
  scope: RunScope,
): Promise<Reply> {
  switch (transport) {
    case "udp":
      return askUdp(server, question, scope);
    case "tcp":
      return askTcp(server, question, scope);
    case "https":
      return askHttps(server, question, scope);
  }
}

/**
 * Refuses a name or an address that the runner's policy denies.
 * @throws TargetFailure of category `connect`, which names the domain alone
 */
function assertAllowed(host: string, { egress }: RunScope, domain = host): void {
  const shown = host.includes(":") ? `[${host}]` : host;
  if (!URL.canParse(`http://${shown}/`)) return;
  try {
    egress.assertUrlAllowed(new URL(`http://${shown}/`));
  } catch (error) {
    if (host === domain) rethrowFailure(error);
    throw new TargetFailure({
      status: "error",
      category: "connect",
      message: `${domain} has an address that checks from here may not know: a private one`,
    });
  }
}

/** Throws a RunnerFailure when no name server answers this runner, since then nothing is known about the target. */
async function assertResolverWorks(
  domain: string,
  { scope, error }: { scope: RunScope; error: unknown },
): Promise<void> {
  if (!(error instanceof TargetFailure)) return;
  if ((await scope.egress.resolverHealth(domain)) === "unreachable")
    throw new RunnerFailure("network", `asking about ${domain} failed: no name server answers this runner`);
}

/** @throws TargetFailure when the reply is not as expected */
function judge(config: DnsConfig, { rcode, answers }: Reply, server: string): void {
  const { domain, recordType, expectedRcode, expectContains, expectEquals, expectCount } = config;
  const about = `${domain} ${recordType}`;
  if (rcode !== expectedRcode)
    throw new TargetFailure({
      status: "failure",
      category: "dns",
      message: `${server} answered ${rcode} for ${about}; expected ${expectedRcode}`,
    });
  if (rcode !== "NOERROR") return;
  const got = answers.map(({ text }) => text);
  const shown = got.length === 0 ? "no records" : `"${textPreview(got.join('", "'))}"`;
  const fail = (expected: string) => {
    throw new TargetFailure({
      status: "failure",
      category: "assertion",
      message: `${about}: expected ${expected}, got ${shown}`,
    });
  };
  if (expectCount !== undefined && got.length !== expectCount) fail(`${expectCount} records`);
  if (expectCount === undefined && got.length === 0) fail("at least one record");
  const normal = (texts: readonly string[]) => texts.map((text) => normalDnsAnswer(recordType, text));
  const missing = normal([...(expectContains ?? []), ...(expectEquals ?? [])]).filter(
    (text) => !got.includes(text),
  );
  if (missing.length > 0) fail(`"${missing.join('", "')}" among them`);
  if (expectEquals && new Set(got).size !== new Set(normal(expectEquals)).size)
    fail(`only "${normal(expectEquals).join('", "')}"`);
}
