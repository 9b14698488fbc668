/** Runs one history and judges it. */
import { withoutEnvironment } from "./environment.ts";
import { countMissing, findViolations } from "./invariants.ts";
import { NO_PLANTED_FAULTS, type PlantedFaults } from "./planted-faults.ts";
import { World } from "./world.ts";

/** The outcome of one history. */
export interface HistoryOutcome {
  seed: number;
  violations: readonly string[];
  /** Hash of the trace: equal for two runs of a seed. */
  hash: string;
  trace: readonly string[];
  events: number;
  /** How much went on: a history in which nothing goes wrong shows nothing. */
  counts: HistoryCounts;
}

/** Numbers of what happened in a history. */
interface HistoryCounts {
  lostSessions: number;
  kills: number;
  alerts: number;
  /** Due slots without a result, all for a true reason. */
  missingSlots: number;
  /** Transactions that committed after a later one. */
  lateCommits: number;
  /** Alerts whose begin a maintenance window kept back, for a time or for good. */
  mutedAlerts: number;
  /** Schedules that a maintenance window has begun or ended. */
  pauses: number;
  /** Notifications that a channel has taken more than once. */
  repeatedNotifications: number;
}

/** Runs the history of a seed. */
export async function runHistory(seed: number, faults: Partial<PlantedFaults> = {}): Promise<HistoryOutcome> {
  return withoutEnvironment(async () => {
    const world = new World(seed, { ...NO_PLANTED_FAULTS, ...faults });
    await world.run();
    const violations = findViolations(world);
    const { trace, scheduler } = world;
    const received = world.record.receipts.map(({ notificationId }) => notificationId);
    const counts = {
      lostSessions: world.record.sessions.length - world.agents.length,
      kills: trace.lines.filter((line) => line.endsWith(" ends")).length,
      alerts: world.tables.instances.size,
      missingSlots: countMissing(world),
      lateCommits: world.database.lateCommits,
      mutedAlerts: [...world.tables.instances.values()].filter((one) => one.beganMuted).length,
      pauses: world.record.pauses,
      repeatedNotifications: received.length - new Set(received).size,
    };
    return { seed, violations, hash: trace.hash(), trace: trace.lines, events: scheduler.eventCount, counts };
  });
}
