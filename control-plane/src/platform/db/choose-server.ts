/** Chooses among the servers of a database URL the one that is written to. Pure. */
import type { DatabaseServer, TargetSessionAttrs } from "./database-url.ts";
import type { ServerState } from "./server-state.ts";

/** Identity of the database and newest timeline, as this process has seen them by its connections. */
export interface KnownDatabase {
  systemId?: string | undefined;
  /** Highest timeline that was seen. */
  timeline?: number | undefined;
}

/** A server's answer: its state, or why there is none. */
export interface ServerAnswer {
  server: Pick<DatabaseServer, "name">;
  answer: ServerState | Error;
}

/**
 * Returns why a server may not be written to; undefined: it may. A primary of an older timeline than one that was seen is
 * what a failover left behind: what it stores is in no other server.
 */
export function refusalOf(
  state: ServerState,
  target: TargetSessionAttrs,
  known: KnownDatabase,
): string | undefined {
  if (known.systemId !== undefined && known.systemId !== state.systemId)
    return `is another database cluster (system identifier ${state.systemId}, not ${known.systemId})`;
  if (state.isStandby) return "is a standby";
  if (state.isReadOnly && target !== "primary") return "is read-only";
  if (known.timeline !== undefined && state.timeline !== null && state.timeline < known.timeline)
    return `is a primary of the past (timeline ${state.timeline}, and timeline ${known.timeline} was seen)`;
  return undefined;
}

/** The server that was chosen, and others that take writes, too; or why there is none. */
export type ServerChoice = { index: number; rivals: number[] } | { refusals: string[] };

/**
 * Chooses the server of the newest timeline that may be written to; of equals the present one, then the first.
 * @param present index of the server that is used now
 */
export function chooseServer(
  answers: readonly ServerAnswer[],
  target: TargetSessionAttrs,
  { known, present }: { known: KnownDatabase; present?: number | undefined },
): ServerChoice {
  const refusals: string[] = [];
  const candidates: { index: number; timeline: number }[] = [];
  for (const [index, { server, answer }] of answers.entries()) {
    const reason = answer instanceof Error ? wordsOf(answer) : refusalOf(answer, target, known);
    if (reason !== undefined) refusals.push(`${server.name} (${reason})`);
    else candidates.push({ index, timeline: (answer as ServerState).timeline ?? 0 });
  }
  const [best] = candidates.toSorted(
    (a, b) =>
      b.timeline - a.timeline ||
      Number(b.index === present) - Number(a.index === present) ||
      a.index - b.index,
  );
  if (!best) return { refusals };
  const acceptsWrites = ({ answer }: ServerAnswer, index: number) =>
    index !== best.index && !(answer instanceof Error) && !answer.isStandby && !answer.isReadOnly;
  return {
    index: best.index,
    rivals: answers.flatMap((one, index) => (acceptsWrites(one, index) ? [index] : [])),
  };
}

/** Returns an error in a few words; several attempts at the addresses of one name are one error. */
function wordsOf(error: Error): string {
  const inner = error instanceof AggregateError ? error.errors[0] : undefined;
  return error.message || (inner as Error | undefined)?.message || error.name;
}
