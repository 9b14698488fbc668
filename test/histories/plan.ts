/** The plan of a history: its size and what goes wrong when, all drawn from the seed before the history begins. */
import type { Random } from "./random.ts";

/** How an endpoint takes requests. One that hangs takes half of them. */
export type ChannelMood = "well" | "failing" | "hangs" | "slow" | "answers_lost";

/** Steps of a delivery at which a process may be killed. */
const NOTIFY_STEPS = ["claimed", "sending", "sent", "recording"] as const;
/** A step of a delivery. */
export type NotifyStep = (typeof NOTIFY_STEPS)[number];

/** Something that goes wrong, or that somebody does. Times in ms from the begin of the history. */
export type Trouble = { atMs: number; forMs: number } & (
  | {
      kind: "agent_killed" | "agent_drained" | "agent_held" | "agent_disk_slow" | "agent_disk_full";
      agent: number;
    }
  | { kind: "replica_killed" | "replica_held" | "replica_ended"; replica: number }
  | { kind: "notifier_killed"; step: NotifyStep }
  | { kind: "channel"; channel: number; mood: Exclude<ChannelMood, "well"> }
  | { kind: "link_cut"; agent: number; replica: number }
  | { kind: "agent_cut_off" | "agent_cut_then_killed"; agent: number }
  | { kind: "streams_broken" | "packets_lost" | "database_killed" | "database_slow" }
  | { kind: "check_changed"; check: number; frequencySeconds: number; enabled: boolean }
  | { kind: "run_triggered"; check: number }
);

/** Sizes and troubles of one history. */
export interface Plan {
  replicas: number;
  /** Location of each agent, from 0. */
  agents: readonly number[];
  locations: number;
  channels: number;
  checks: readonly {
    frequencySeconds: number;
    locations: readonly number[];
    failures: number;
    successes: number;
    /** Channels of its rule, from 0. */
    channels: readonly number[];
  }[];
  /** Skew of each agent's clock, ms, and length of its second. */
  clocks: readonly { skewMs: number; rate: number }[];
  replicaSkewsMs: readonly number[];
  runnerFaultProbability: number;
  troubles: readonly Trouble[];
  /** Rules that users make while the history runs. */
  lateRules: readonly LateRule[];
  windows: readonly PlannedWindow[];
}

/** A maintenance window of a user. Checks from 0; times in ms from the begin of the history. */
export interface PlannedWindow {
  atMs: number;
  mode: "pause" | "continue";
  /** null: all checks. */
  checks: readonly number[] | null;
  occurrences: readonly { startsMs: number; endsMs: number }[];
  /** Times at which the window is changed, and the end of its first occurrence then; null: it is deleted. */
  changes: readonly { atMs: number; endsMs: number | null }[];
}

/** A rule that a user makes at some time, in a transaction that lasts. Check and channels from 0; times in ms. */
export interface LateRule {
  atMs: number;
  durationMs: number;
  check: number;
  failures: number;
  successes: number;
  channels: readonly number[];
}

/** Time before the first trouble, time with troubles, and time in which everything must come to rest, ms. */
export const CALM_MS = 15_000;
export const TROUBLED_MS = 100_000;
export const REST_MS = 110_000;
export const HISTORY_MS = CALM_MS + TROUBLED_MS + REST_MS;

const FREQUENCIES = [10, 15, 20, 30];

/** Draws the plan. */
export function drawPlan(random: Random): Plan {
  const locations = random.int(1, 2);
  const agents = Array.from({ length: random.int(Math.max(2, locations), 4) }, (_, i) => i % locations);
  const replicas = random.int(1, 3);
  const channels = random.int(1, 3);
  const sizes = { agents: agents.length, replicas, channels, checks: random.int(2, 4) };
  return {
    replicas,
    agents,
    locations,
    channels,
    checks: Array.from({ length: sizes.checks }, () => ({
      frequencySeconds: random.pick(FREQUENCIES),
      locations: locations === 2 && random.chance(0.5) ? [0, 1] : [random.int(0, locations - 1)],
      failures: random.int(1, 3),
      successes: random.int(1, 2),
      channels: Array.from({ length: channels }, (_, i) => i).filter((i) => i === 0 || random.chance(0.5)),
    })),
    clocks: agents.map(() => ({
      skewMs: random.chance(0.5) ? random.between(-500, 500) : random.between(-90_000, 90_000),
      rate: 1 + random.between(-1e-4, 1e-4),
    })),
    replicaSkewsMs: Array.from({ length: replicas }, () => random.between(-20, 20)),
    runnerFaultProbability: random.chance(0.3) ? 0.05 : 0,
    troubles: [
      ...drawTroubles(random, sizes),
      ...drawNotifyTroubles(random, sizes),
      ...drawTriggers(random, sizes.checks),
    ],
    lateRules: Array.from({ length: random.int(0, 3) }, () => ({
      atMs: random.between(CALM_MS / 2, HISTORY_MS - REST_MS),
      durationMs: random.chance(0.5) ? random.between(1, 100) : random.between(100, 5_000),
      check: random.int(0, sizes.checks - 1),
      failures: random.int(1, 2),
      successes: random.int(1, 2),
      channels: [random.int(0, channels - 1)],
    })),
    windows: Array.from({ length: random.int(0, 3) }, () => drawWindow(random, sizes.checks)),
  };
}

/** Draws a window, which may begin before it is made, and end at another time than was planned. */
function drawWindow(random: Random, checks: number): PlannedWindow {
  const atMs = random.between(CALM_MS / 2, HISTORY_MS - 50_000);
  const startsMs = atMs + random.between(-10_000, 20_000);
  const endsMs = Math.max(atMs, startsMs) + random.between(8_000, 50_000);
  const againMs = endsMs + random.between(5_000, 20_000);
  return {
    atMs,
    mode: random.pick(["pause", "continue", "continue"]),
    checks: random.chance(0.5) ? null : [random.int(0, checks - 1)],
    occurrences: [
      { startsMs, endsMs },
      ...(random.chance(0.3) ? [{ startsMs: againMs, endsMs: againMs + random.between(8_000, 30_000) }] : []),
    ],
    changes: random.chance(0.4)
      ? [
          {
            atMs: random.between(atMs, endsMs),
            endsMs: random.chance(0.3) ? null : random.between(Math.max(atMs, startsMs), endsMs + 20_000),
          },
        ]
      : [],
  };
}

/** Draws troubles, of which about half begin while another lasts, and often concern the same agent. */
function drawTroubles(random: Random, sizes: Parameters<typeof drawTrouble>[1]): Trouble[] {
  const troubles: Trouble[] = [];
  const count = random.int(3, 9);
  while (troubles.length < count) {
    const trouble = drawTrouble(random, sizes);
    const last = troubles.at(-1);
    if (last && random.chance(0.5)) {
      trouble.atMs = last.atMs + random.between(0, Math.min(5_000, last.forMs));
      if ("agent" in last && "agent" in trouble && random.chance(0.7)) trouble.agent = last.agent;
    }
    troubles.push(trouble);
  }
  return troubles;
}

function drawTrouble(random: Random, sizes: { agents: number; replicas: number; checks: number }): Trouble {
  const when = drawTime(random);
  const agent = random.int(0, sizes.agents - 1);
  const replica = random.int(0, sizes.replicas - 1);
  const check = random.int(0, sizes.checks - 1);
  switch (random.int(0, 14)) {
    case 0:
    case 1:
      return { ...when, kind: "agent_killed", agent };
    case 2:
      return { ...when, kind: "agent_drained", agent };
    case 3:
      return { ...when, forMs: Math.min(when.forMs, 12_000), kind: "agent_held", agent };
    case 4:
      return random.chance(0.5)
        ? { ...when, kind: "agent_disk_slow", agent }
        : { ...when, kind: "agent_disk_full", agent };
    case 5:
    case 6:
      return { ...when, kind: "replica_killed", replica };
    case 7:
      return { ...when, forMs: Math.min(when.forMs, 12_000), kind: "replica_held", replica };
    case 8:
      return { ...when, kind: "link_cut", agent, replica };
    case 9:
      return { ...when, kind: "agent_cut_off", agent };
    case 10:
      return { ...when, kind: "agent_cut_then_killed", agent };
    case 11:
      return { ...when, kind: random.pick(["streams_broken", "packets_lost"]) };
    case 12:
      return { ...when, kind: random.pick(["database_killed", "database_slow"]) };
    default:
      return {
        ...when,
        kind: "check_changed",
        check,
        frequencySeconds: random.pick(FREQUENCIES),
        enabled: random.chance(0.8),
      };
  }
}

/** Draws troubles of those who notify, and of those who are notified. */
function drawNotifyTroubles(
  random: Random,
  { replicas, channels }: { replicas: number; channels: number },
): Trouble[] {
  return Array.from({ length: random.int(0, 4) }, (): Trouble => {
    const when = drawTime(random);
    const channel = random.int(0, channels - 1);
    switch (random.int(0, 4)) {
      case 0:
      case 1:
        return {
          ...when,
          kind: "channel",
          channel,
          mood: random.pick(["failing", "hangs", "slow", "answers_lost"]),
        };
      case 2:
        return { ...when, kind: "replica_ended", replica: random.int(0, replicas - 1) };
      default:
        return { ...when, kind: "notifier_killed", step: random.pick(NOTIFY_STEPS) };
    }
  });
}

/** Draws requests of users to run a check now, in quiet times as well. */
function drawTriggers(random: Random, checks: number): Trouble[] {
  return Array.from({ length: random.int(1, 4) }, () => ({
    kind: "run_triggered",
    atMs: random.between(CALM_MS / 2, HISTORY_MS),
    forMs: 0,
    check: random.int(0, checks - 1),
  }));
}

function drawTime(random: Random): { atMs: number; forMs: number } {
  return {
    atMs: CALM_MS + random.between(0, TROUBLED_MS - 20_000),
    forMs: random.chance(0.6) ? random.between(100, 6_000) : random.between(6_000, 45_000),
  };
}
