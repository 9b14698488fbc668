/**
 * Which runner owns a check at a location: weighted rendezvous hashing, a pure function of the runners' rows, so that
 * every replica answers alike without talking to the others, and a runner that comes or goes moves only its own share.
 */

/** A runner as the assignment sees it. Instants: control-plane clock, Unix ms. */
export interface AssignableRunner {
  runnerKey: number;
  locationKeys: readonly number[];
  capabilities: ReadonlySet<string>;
  /** Relative weight. */
  capacityPerSecond: number;
  isDraining: boolean;
  connectedAtMs: number;
  leaseUntilMs: number;
  /** Since when the runner wants nothing more; null: it accepts. */
  notAcceptingSinceMs: number | null;
}

/** What is assigned: a check of a type at a location. */
export interface AssignedPair {
  checkKey: number;
  locationKey: number;
  type: string;
  /** Unix ms: since when the check's present schedule is in force. */
  effectiveFromMs: number;
}

/**
 * The runners that can run the pair, best first: the first one owns it, the next ones follow when a slot is given back.
 * @param alive the location's runners whose lease holds
 */
export function rankRunners(pair: AssignedPair, alive: readonly AssignableRunner[]): AssignableRunner[] {
  return alive
    .filter((runner) => canRun(runner, pair))
    .map((runner) => ({ runner, score: score(pair, runner) }))
    .sort((a, b) => b.score - a.score || a.runner.runnerKey - b.runner.runnerKey)
    .map(({ runner }) => runner);
}

/**
 * The owner of the pair, or undefined when nobody can run it. A runner that accepts nothing new keeps what it had at
 * that moment (it is judged among those who lived then) and gets more only when nobody else can run it.
 * @param alive the location's runners whose lease holds
 * @param known these and the location's recently lost ones, to tell what a runner had
 */
export function ownerOf(
  pair: AssignedPair,
  alive: readonly AssignableRunner[],
  known: readonly AssignableRunner[] = alive,
): AssignableRunner | undefined {
  const winner = best(pair, alive);
  if (!winner || winner.notAcceptingSinceMs === null) return winner;
  const sinceMs = winner.notAcceptingSinceMs;
  const livedThen = known.filter(
    (runner) => runner.connectedAtMs <= sinceMs && runner.leaseUntilMs >= sinceMs,
  );
  const hadIt = pair.effectiveFromMs <= sinceMs && best(pair, livedThen)?.runnerKey === winner.runnerKey;
  if (hadIt) return winner;
  const accepting = alive.filter((runner) => runner.notAcceptingSinceMs === null);
  return best(pair, accepting) ?? winner;
}

function best(pair: AssignedPair, runners: readonly AssignableRunner[]): AssignableRunner | undefined {
  let winner: AssignableRunner | undefined;
  let winningScore = Number.NEGATIVE_INFINITY;
  for (const runner of runners) {
    if (!canRun(runner, pair)) continue;
    const candidate = score(pair, runner);
    if (
      candidate > winningScore ||
      (candidate === winningScore && runner.runnerKey < (winner?.runnerKey ?? 0))
    ) {
      winner = runner;
      winningScore = candidate;
    }
  }
  return winner;
}

function canRun(runner: AssignableRunner, pair: AssignedPair): boolean {
  return !runner.isDraining && runner.capabilities.has(pair.type);
}

/** Weighted highest random weight: -w / ln(h) with h uniform in (0, 1) makes shares proportional to w. */
function score(pair: AssignedPair, runner: AssignableRunner): number {
  const uniform = (mix(pair.checkKey, pair.locationKey, runner.runnerKey) + 0.5) / 2 ** 32;
  return -Math.max(1, runner.capacityPerSecond) / Math.log(uniform);
}

/** 32 well-mixed bits of three integers (finalizer of MurmurHash3 after each). */
function mix(checkKey: number, locationKey: number, runnerKey: number): number {
  let hash = 0x9e3779b9;
  for (const part of [checkKey % 2 ** 32, Math.floor(checkKey / 2 ** 32), locationKey, runnerKey]) {
    hash ^= part | 0;
    hash ^= hash >>> 16;
    hash = Math.imul(hash, 0x85ebca6b);
    hash ^= hash >>> 13;
    hash = Math.imul(hash, 0xc2b2ae35);
    hash ^= hash >>> 16;
    hash = (hash + 0x9e3779b9) | 0;
  }
  return hash >>> 0;
}
