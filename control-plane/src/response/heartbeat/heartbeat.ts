/**
 * The heartbeat: while the service does its work, it requests a URL of a dead man's switch once a minute. Such a switch, which runs
 * elsewhere, alerts the operator when the requests cease: a service that is gone can't.
 */
import { MINUTE_MS, SECOND_MS } from "@svc/contract";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import { metricsOf } from "../../platform/metrics/metrics-of.ts";
import { sleepBy, systemTiming, type Timing } from "../../platform/timing.ts";

/** Time between two heartbeats, ms: switches that wait for a minute or longer are served. */
const INTERVAL_MS = MINUTE_MS;

/** Longest wait for the switch's answer, ms. */
const ANSWER_WITHIN_MS = 10 * SECOND_MS;

/** The switch, and how to judge the service. */
export interface HeartbeatOptions {
  /** URL of the switch. It is a credential: whoever knows it can silence the alert. */
  url: string;
  /** Returns what keeps the service from its work; undefined when nothing does. */
  findFault: () => Promise<string | undefined>;
  log: Logger;
  registry: Registry;
  timing?: Timing;
}

/** Starts the heartbeat; the first is sent at once. A change is logged once, without the URL. */
export function startHeartbeat(options: HeartbeatOptions): { close(): Promise<void> } {
  const { timing = systemTiming, log } = options;
  const sent = metricsOf(options.registry).counter(
    "svc_heartbeats_total",
    "Heartbeats to SVC_HEARTBEAT_URL: sent, failed (no good answer), withheld (the service does not do its work).",
    { labelNames: ["outcome"] },
  );
  const ending = new AbortController();
  const running = repeat();
  return {
    close: async () => {
      ending.abort();
      await running;
    },
  };

  async function repeat(): Promise<void> {
    let lastProblem: string | undefined;
    while (!ending.signal.aborted) {
      const { outcome, problem } = await beat(options, ending.signal);
      if (ending.signal.aborted) return;
      sent.inc({ outcome });
      if (problem !== undefined && problem !== lastProblem) log.warn({ outcome, problem }, "no heartbeat");
      if (problem === undefined && lastProblem !== undefined) log.info("the heartbeat is sent again");
      lastProblem = problem;
      await sleepBy(timing, INTERVAL_MS, ending.signal).catch(() => undefined);
    }
  }
}

interface Beat {
  outcome: "sent" | "failed" | "withheld";
  problem?: string;
}

async function beat({ url, findFault }: HeartbeatOptions, ending: AbortSignal): Promise<Beat> {
  const fault = await findFault();
  if (fault !== undefined) return { outcome: "withheld", problem: fault };
  try {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(ANSWER_WITHIN_MS)]);
    const answer = await fetch(url, { signal });
    await answer.body?.cancel();
    if (answer.ok) return { outcome: "sent" };
    return { outcome: "failed", problem: `the switch of SVC_HEARTBEAT_URL answered ${answer.status}` };
  } catch (error) {
    return {
      outcome: "failed",
      problem: `the switch of SVC_HEARTBEAT_URL can't be reached: ${networkReason(error)}`,
    };
  }
}

/** Returns why a request failed, without its URL: fetch's own message says "fetch failed", and its cause why. */
function networkReason(error: unknown): string {
  const { cause, name } = error as { cause?: NodeJS.ErrnoException; name: string };
  if (name === "TimeoutError") return `no answer within ${ANSWER_WITHIN_MS / SECOND_MS} s`;
  return cause?.code ?? cause?.name ?? name;
}
