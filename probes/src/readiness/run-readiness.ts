/** Runs all readiness probes against a site and sums up their results in a report. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AgentReadiness, ResultDetail } from "@svc/contract";
import { storableText, textPreview } from "../base/storable-text.ts";
import type { HttpAttempt } from "../http-attempt/attempt.ts";
import { PERSONAS } from "../personas/catalogue.ts";
import type { ProbeContext } from "../run/probe.ts";
import type { ReadinessResult } from "./define.ts";
import { contentSignalsOf } from "./read-content-signals.ts";
import { readinessProbes } from "./registry.ts";
import { judgeRobots } from "./robots.ts";
import { type Site, type SiteLimits, siteOf } from "./site.ts";

/** The part of a result's detail that says how ready a site is for agents. */
export type ReadinessReport = NonNullable<ResultDetail["agentReadinessJson"]>;
type ProbeEntry = ReadinessReport["probes"][number];

const DETAILS_MAX = 20;
/**
 * Agents whose robots.txt rules are reported besides the personas': opt-out tokens and the other large AI crawlers.
 */
const OTHER_AGENTS = [
  "Google-Extended",
  "Applebot-Extended",
  "Amazonbot",
  "Bytespider",
  "CCBot",
  "meta-externalagent",
];

/**
 * Runs every readiness probe.
 * @param baseline the check's own attempt, with a response
 * @throws RunnerFailure
 */
export async function runReadiness(
  baseline: HttpAttempt,
  limits: SiteLimits,
  context: ProbeContext,
): Promise<ReadinessReport> {
  const site = siteOf(baseline, limits, context);
  const probes = await Promise.all(
    readinessProbes.members.map(async ({ type, look }) => entryOf(type, await look(site))),
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

/**
 * Returns the share of probes that passed among those that were not skipped, in percent, rounded; 0 when all were
 * skipped.
 */
export function scoreOf(probes: readonly Pick<ProbeEntry, "status">[]): number {
  const checked = probes.filter(({ status }) => status !== "skipped");
  if (checked.length === 0) return 0;
  return Math.round((100 * checked.filter(({ status }) => status === "pass").length) / checked.length);
}

/** Returns why the run fails for its requirements; undefined when every required probe passed. */
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

function entryOf(id: string, { status, summary, details }: ReadinessResult): ProbeEntry {
  return {
    id,
    status,
    summary: textPreview(summary),
    ...(details && details.length > 0 ? { details: details.slice(0, DETAILS_MAX).map(textPreview) } : {}),
  };
}

/**
 * Returns the rules for each agent. Without a robots.txt everything is allowed; one that can't be fetched forbids
 * everything (RFC 9309, 2.3.1).
 */
async function robotsAgentsOf(site: Site): Promise<ReadinessReport["robotsAgents"]> {
  const agents = [...Object.values(PERSONAS).map(({ robotsToken }) => robotsToken), ...OTHER_AGENTS];
  const { document, robots } = await site.robots();
  if (document.kind === "unreachable")
    return agents.map((agent) => ({ agent, allowed: false, rule: "robots.txt can't be fetched" }));
  const path = site.page.pathname + site.page.search;
  const judged: ReadinessReport["robotsAgents"] = [];
  for (const agent of agents) {
    // A turn of the event loop for each: together they would hold it up.
    await nextTurn();
    const { allowed, rule } = judgeRobots(robots, agent, path);
    judged.push({
      agent,
      allowed,
      ...(rule === undefined ? {} : { rule: storableText(rule.slice(0, 200)) }),
    });
  }
  return judged;
}
