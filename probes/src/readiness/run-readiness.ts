/** Looks at what a site offers to AI agents, and sums it up. */
import type { AgentReadiness, ResultDetail } from "@svc/contract";
import { storableText, textPreview } from "../base/storable-text.ts";
import type { Attempt } from "../http-attempt/attempt.ts";
import { PERSONAS } from "../personas/catalogue.ts";
import type { ProbeContext } from "../run/probe.ts";
import { contentSignalsOf } from "./content-signals.ts";
import type { Finding } from "./define.ts";
import { READINESS_PROBES } from "./registry.ts";
import { parseRobots, robotsVerdict } from "./robots.ts";
import { type Site, siteOf } from "./site.ts";

export type ReadinessReport = NonNullable<ResultDetail["agentReadinessJson"]>;
type ProbeEntry = ReadinessReport["probes"][number];

const DETAILS_MAX = 20;
/** What robots.txt says is reported for these besides the personas: opt-out tokens and the other large AI crawlers. */
const OTHER_AGENTS = [
  "Google-Extended",
  "Applebot-Extended",
  "Amazonbot",
  "Bytespider",
  "CCBot",
  "meta-externalagent",
];

/** @param baseline the check's own attempt, with a response  @throws RunnerFailure */
export async function runReadiness(
  baseline: Attempt,
  timeoutMs: number,
  context: ProbeContext,
): Promise<ReadinessReport> {
  const site = siteOf(baseline, timeoutMs, context);
  const probes = await Promise.all(
    READINESS_PROBES.map(async ({ id, look }) => entryOf(id, await look(site))),
  );
  const signals = Object.entries(await contentSignalsOf(site));
  return {
    score: scoreOf(probes),
    probes,
    robotsAgents: await robotsAgentsOf(site),
    contentSignals: Object.fromEntries(
      signals.map(([name, value]) => [textPreview(name), textPreview(value)]),
    ),
  };
}

/** Passed ones of those that were checked, in percent, rounded; 0 when nothing could be checked. */
export function scoreOf(probes: readonly Pick<ProbeEntry, "status">[]): number {
  const checked = probes.filter(({ status }) => status !== "skipped");
  if (checked.length === 0) return 0;
  return Math.round((100 * checked.filter(({ status }) => status === "pass").length) / checked.length);
}

/** Why the run fails, or undefined when every required probe passed. */
export function requirementMessage(
  { require }: AgentReadiness,
  { probes }: ReadinessReport,
): string | undefined {
  const broken = probes.filter(({ id, status }) => status !== "pass" && (require as string[]).includes(id));
  const [first] = broken;
  if (!first) return undefined;
  const more = broken.length === 1 ? "" : ` (and ${broken.length - 1} more)`;
  return `agent readiness requires ${first.id}, which is ${first.status}: ${first.summary}${more}`;
}

function entryOf(id: string, { status, summary, details }: Finding): ProbeEntry {
  return {
    id,
    status,
    summary: textPreview(summary),
    ...(details && details.length > 0 ? { details: details.slice(0, DETAILS_MAX).map(textPreview) } : {}),
  };
}

/** RFC 9309, 2.3.1: no robots.txt allows everything, one that can't be had forbids everything. */
async function robotsAgentsOf(site: Site): Promise<ReadinessReport["robotsAgents"]> {
  const agents = [...Object.values(PERSONAS).map(({ robotsToken }) => robotsToken), ...OTHER_AGENTS];
  const document = await site.fetch("/robots.txt");
  if (document.kind === "unreachable")
    return agents.map((agent) => ({ agent, allowed: false, rule: "robots.txt can't be fetched" }));
  const robots = parseRobots(document.kind === "served" ? document.text : "");
  const path = site.page.pathname + site.page.search;
  return agents.map((agent) => {
    const { allowed, rule } = robotsVerdict(robots, agent, path);
    return { agent, allowed, ...(rule === undefined ? {} : { rule: storableText(rule.slice(0, 200)) }) };
  });
}
