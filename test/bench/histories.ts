/**
 * Histories of the seeds that are asked for, `histories 1..5000`, by default 1..2000: how many hold and what they cost. Of one
 * seed, `histories 84`, the whole trace.
 */
import { describeFailure } from "../histories/describe-failure.ts";
import { runHistory } from "../histories/run-history.ts";

const DEFAULT_RANGE = "1..2000";
const RANGE = /^(\d+)(?:\.\.(\d+))?$/;

/** True for a text that names seeds. */
export function isSeedRange(text: string): boolean {
  return RANGE.test(text);
}

/** Runs the histories. @throws Error when one is violated */
export async function historiesBench(range = DEFAULT_RANGE): Promise<void> {
  const [, first, last] = RANGE.exec(range) ?? [];
  const from = Number(first);
  const to = Number(last ?? first);
  const begun = process.cpuUsage();
  const violated: number[] = [];
  let events = 0;
  for (let seed = from; seed <= to; seed++) {
    const outcome = await runHistory(seed);
    events += outcome.events;
    if (from === to) console.log(outcome.trace.join("\n"));
    if (outcome.violations.length === 0) continue;
    violated.push(seed);
    console.log(`\n${describeFailure(outcome)}`);
  }
  const { user, system } = process.cpuUsage(begun);
  const count = to - from + 1;
  const cpuMs = (user + system) / 1_000;
  console.log(
    `${count - violated.length} of ${count} histories hold; ${Math.round(events / count)} events and ${Math.round(cpuMs / count)} ms of CPU each`,
  );
  if (violated.length > 0) throw new Error(`violated seeds: ${violated.join(", ")}`);
}
