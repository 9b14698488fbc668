/** Looks at each alert that is held back: whether it still has to be, and because of which alert. */
import { HOLD_REASONS, type HoldReason, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { decideBlindly, type HoldDecision } from "./decide-hold.ts";
import { decideReturnBlindly } from "./decide-return.ts";
import { Failures } from "./failures.ts";
import { DECIDERS } from "./hold-sights.ts";
import { liftHold } from "./lift-hold.ts";
import { type HeldRow, markEndedHolds, readHeld, updateHold } from "./store.ts";

const ALERTS_AT_ONCE = 500;
/** Most alerts of a team that are released in one round: the others follow in the next. */
const RELEASES_OF_TEAM_MAX = 200;
/** Most reads of smaller parts in one round, after a read of many alerts failed: each may take as long as a statement may. */
const REPEATED_READS_MAX = 24;

/** Which held alerts are reviewed. */
interface ReviewedAlerts {
  /** Default: all. */
  reasons?: readonly HoldReason[];
  /** Alerts that are read and judged together. */
  alertsAtOnce?: number;
}

/**
 * Notifies of each alert, held for these reasons, that has to be held no longer, and notes of the others why they are. An alert that fails
 * does not keep the others from it; one whose dependencies or locations can't be read is held for a time at most. Teams take turns in being
 * notified, with 200 alerts each. Harmless to overlap with another replica's call.
 * @throws AggregateError of all failures, after every alert had its turn
 */
export async function reviewHolds(
  knex: Knex,
  nowMs: number,
  { reasons = HOLD_REASONS, alertsAtOnce = ALERTS_AT_ONCE }: ReviewedAlerts = {},
): Promise<void> {
  const failures = new Failures();
  await failures.collect(() => markEndedHolds(knex, reasons));
  const review: Review = { knex, nowMs, failures, repeatedReads: 0 };
  const releases = new Map<TeamId, HeldRow[]>();
  let afterId = "";
  for (;;) {
    const held = await readHeld(knex, { reasons, afterId, limit: alertsAtOnce, nowMs });
    for (const reason of reasons) {
      const ofReason = held.filter((alert) => alert.reason === reason);
      for (const [alert, decision] of await decisionsOf(review, reason, inOrderOfTeams(ofReason)))
        if (decision.kind === "release") addRelease(releases, alert);
        else await failures.collect(() => note(knex, alert, decision));
    }
    if (held.length < alertsAtOnce) break;
    afterId = held.at(-1)?.instanceId ?? "";
  }
  for (const alert of inTurns([...releases.values()]))
    await failures.collect(() => liftHold(knex, alert, nowMs));
  failures.throwAny("reviews of held alerts");
}

interface Review {
  knex: Knex;
  nowMs: number;
  failures: Failures;
  /** Reads of parts so far, after reads of more alerts failed. */
  repeatedReads: number;
}

/** Alerts with the decision on each. */
type Decided = (readonly [HeldRow, HoldDecision])[];

/**
 * Returns the alerts, each with its decision. Where these can't be made together, they are for each half of the alerts, down to each alone, and
 * without having read anything once too many reads failed.
 */
async function decisionsOf(review: Review, reason: HoldReason, held: readonly HeldRow[]): Promise<Decided> {
  const { knex, nowMs, failures } = review;
  if (held.length === 0) return [];
  let decide: ((alert: HeldRow) => HoldDecision) | undefined;
  await failures.collect(async () => {
    decide = await DECIDERS[reason](knex, held, nowMs);
  });
  const known = decide;
  if (known !== undefined) return held.map((alert) => [alert, known(alert)]);
  const middle = Math.ceil(held.length / 2);
  const parts = held.length === 1 ? [] : [held.slice(0, middle), held.slice(middle)];
  if (parts.length === 0) return decideAllBlindly(held, nowMs);
  const decided: Decided = [];
  for (const part of parts)
    if (review.repeatedReads < REPEATED_READS_MAX) {
      review.repeatedReads++;
      decided.push(...(await decisionsOf(review, reason, part)));
    } else decided.push(...decideAllBlindly(part, nowMs));
  return decided;
}

function decideAllBlindly(held: readonly HeldRow[], nowMs: number): Decided {
  return held.map((alert) => {
    if (!alert.isRunning) return [alert, { kind: "wait", freeSinceMs: alert.freeSinceMs }];
    const decide = alert.reason === "location" ? decideReturnBlindly : decideBlindly;
    return [alert, decide(alert, nowMs)];
  });
}

/** Notes why the alert is held on. */
async function note(
  knex: Knex,
  alert: HeldRow,
  decision: Exclude<HoldDecision, { kind: "release" }>,
): Promise<void> {
  if (decision.kind === "hold") {
    if (decision.causeId !== alert.causeId || alert.freeSinceMs !== null)
      await updateHold(knex, alert.instanceId, { causeId: decision.causeId, freeSinceMs: null });
  } else if (decision.freeSinceMs !== alert.freeSinceMs)
    await updateHold(knex, alert.instanceId, { freeSinceMs: decision.freeSinceMs });
}

function addRelease(releases: Map<TeamId, HeldRow[]>, alert: HeldRow): void {
  const ofTeam = releases.get(alert.teamId) ?? [];
  releases.set(alert.teamId, ofTeam);
  if (ofTeam.length < RELEASES_OF_TEAM_MAX) ofTeam.push(alert);
}

/** Returns the alerts of all teams: the first of each, then the second of each, and so on. */
function inTurns(ofTeams: readonly (readonly HeldRow[])[]): HeldRow[] {
  const longest = Math.max(0, ...ofTeams.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => ofTeams.flatMap((ofTeam) => ofTeam[turn] ?? [])).flat();
}

/** Returns the alerts so that those of a team are together: a fault that concerns one team then concerns few parts. */
function inOrderOfTeams(held: readonly HeldRow[]): HeldRow[] {
  return [...held].sort((a, b) => (a.teamId < b.teamId ? -1 : a.teamId > b.teamId ? 1 : 0));
}
