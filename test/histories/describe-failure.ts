/** Says how a history failed, and how to see it again. */
import type { HistoryOutcome } from "./run-history.ts";

/** Lines of the trace that are shown around the end of it; the whole is printed by the benchmark. */
const LINES_MAX = 60;

/** Returns the violations of a history with the begin of its trace: troubles, then whatever names a violated slot. */
export function describeFailure({ seed, violations, trace, hash }: HistoryOutcome): string {
  const names = new Set(violations.flatMap((line) => line.match(/\d+\/\d+\/\d+/g) ?? []));
  const telling = trace.filter(
    (line) => / trouble| check |VIOLATION/.test(line) || [...names].some((name) => line.includes(name)),
  );
  return [
    `seed ${seed}: ${violations.length} violations (trace ${hash.slice(0, 12)})`,
    ...violations.slice(0, 10),
    "",
    ...telling.slice(0, LINES_MAX),
    "",
    `All of it: npm run bench -- histories ${seed}`,
  ].join("\n");
}
