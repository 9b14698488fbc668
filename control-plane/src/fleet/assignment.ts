/**
 * Decides which runner owns a check location, by weighted rendezvous hashing. The decision is a pure function of the
 * runners' rows: every replica reaches the same one without talking to the others, and a runner that comes or goes moves
 * only its own share.
 */
import type { CheckLocation } from "../platform/check-location.ts";
import { VAULT_CAPABILITY } from "./derived-capabilities.ts";
import { mixed } from "./row-table.ts";

/** The properties of a runner that decide what it is assigned. Instants: control-plane clock, Unix ms. */
export interface AssignableRunner {
  runnerKey: number;
  locationKeys: readonly number[];
  capabilities: ReadonlySet<string>;
  /** Relative weight. */
  capacityPerSecond: number;
  isDraining: boolean;
  connectedAtMs: number;
  leaseUntilMs: number;
  /** Since when the runner accepts nothing new; null while it accepts. */
  notAcceptingSinceMs: number | null;
}

/** A check location with the properties of the check that decide which runner gets it. */
export interface AssignableCheckLocation extends CheckLocation {
  type: string;
  /** True when the check refers to secrets of its team. */
  usesVault: boolean;
  /** Unix ms: since when the check's present schedule is in force. */
  effectiveFromMs: number;
}

/**
 * Returns the runners that can run the check location, best first. The first one owns it; the next ones follow when a
 * slot is given back.
 * @param alive the location's runners whose lease holds
 */
export function rankRunners(
  checkLocation: AssignableCheckLocation,
  alive: readonly AssignableRunner[],
): AssignableRunner[] {
  const hash = hashOf(checkLocation);
  return alive
    .filter((runner) => canRun(runner, checkLocation))
    .map((runner) => ({ runner, bits: bitsOf(hash, runner) }))
    .sort(compare)
    .map(({ runner }) => runner);
}

/**
 * Returns the owner of the check location, or undefined when no runner can run it. A runner that accepts nothing new
 * keeps the check locations that it owned at that moment, judged among the runners alive then, and gets a further one
 * only when no other runner can run it.
 * @param alive the location's runners whose lease holds
 * @param known the runners and the location's recently lost ones, to find out what a runner owned
 */
export function ownerOf(
  checkLocation: AssignableCheckLocation,
  alive: readonly AssignableRunner[],
  known: readonly AssignableRunner[] = alive,
): AssignableRunner | undefined {
  const winner = best(checkLocation, alive);
  if (!winner || winner.notAcceptingSinceMs === null) return winner;
  const sinceMs = winner.notAcceptingSinceMs;
  const aliveThen = known.filter(
    (runner) => runner.connectedAtMs <= sinceMs && runner.leaseUntilMs >= sinceMs,
  );
  const wasOwner =
    checkLocation.effectiveFromMs <= sinceMs &&
    best(checkLocation, aliveThen)?.runnerKey === winner.runnerKey;
  if (wasOwner) return winner;
  const accepting = alive.filter((runner) => runner.notAcceptingSinceMs === null);
  return best(checkLocation, accepting) ?? winner;
}

function best(
  checkLocation: AssignableCheckLocation,
  runners: readonly AssignableRunner[],
): AssignableRunner | undefined {
  return bestOf(
    runners.filter((runner) => canRun(runner, checkLocation)),
    hashOf(checkLocation),
  );
}

/**
 * Returns the best of the runners for a check location; undefined when there is none.
 * @param runners those that can run it
 * @param hash of the check location, by {@link hashOf}
 */
export function bestOf(runners: readonly AssignableRunner[], hash: number): AssignableRunner | undefined {
  let winner: AssignableRunner | undefined;
  let bits = -1;
  for (const runner of runners) {
    const own = bitsOf(hash, runner);
    // Of two runners of equal weight the larger bits have the higher score, so that most comparisons take no logarithm.
    if (winner && weightOf(runner) === weightOf(winner) && own < bits) continue;
    if (winner && compare({ runner: winner, bits }, { runner, bits: own }) < 0) continue;
    winner = runner;
    bits = own;
  }
  return winner;
}

/** A runner with its bits for a check location, from which its score follows. */
interface Contender {
  runner: AssignableRunner;
  bits: number;
}

/** True when the runner accepts the check's type and can open its secrets. */
export function canRun(
  runner: AssignableRunner,
  { type, usesVault }: Pick<AssignableCheckLocation, "type" | "usesVault">,
): boolean {
  if (runner.isDraining || !runner.capabilities.has(type)) return false;
  return !usesVault || runner.capabilities.has(VAULT_CAPABILITY);
}

/** Compares two runners by their scores, the higher one first, for sorting. Of equal ones the smaller key comes first. */
function compare(a: Contender, b: Contender): number {
  return scoreOf(b) - scoreOf(a) || a.runner.runnerKey - b.runner.runnerKey;
}

/** Scores by weighted highest random weight: -w / ln(h) with h uniform in (0, 1) makes shares proportional to w. */
function scoreOf({ runner, bits }: Contender): number {
  return -weightOf(runner) / Math.log((bits + 0.5) / 2 ** 32);
}

function weightOf(runner: AssignableRunner): number {
  return Math.max(1, runner.capacityPerSecond);
}

/** Returns the hash of a check location, to which each runner's key is mixed. */
export function hashOf({ checkKey, locationKey }: CheckLocation): number {
  return mixed(mixed(mixed(SEED, checkKey % 2 ** 32), Math.floor(checkKey / 2 ** 32)), locationKey);
}

/** Returns 32 well-mixed bits of a check location and a runner. */
function bitsOf(hash: number, { runnerKey }: AssignableRunner): number {
  return mixed(hash, runnerKey) >>> 0;
}

const SEED = 0x9e3779b9;
