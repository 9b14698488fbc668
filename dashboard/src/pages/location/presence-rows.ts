/** Computes when a location had a runner, and when it had none. Pure. Instants are Unix ms. */
import type { Presence } from "../../api/queries/locations.ts";

/** Heartbeats come every few seconds, and what is stored of them is coarser: a shorter time without one is no absence. */
const ABSENCE_MS = 60_000;

/** A range of time. */
interface Span {
  fromMs: number;
  toMs: number;
}

/** A runner with the times at which it was connected, the oldest first. */
export interface PresenceRow {
  runnerId: string;
  hostname: string;
  spans: Span[];
}

/** What a presence says over its whole range. */
export interface PresenceSummary {
  /** Share of the range, from the first connection on, in which a runner was connected: 0 to 1. */
  share: number;
  /** Times without any runner, the longest first. */
  absences: Span[];
  /** First connection in the range; undefined: there was none. */
  sinceMs: number | undefined;
}

/** Returns a row for each runner, those that were there last first. Times with a short break between them are one. */
export function presenceRows({ presences }: Pick<Presence, "presences">): PresenceRow[] {
  const rows = new Map<string, PresenceRow>();
  for (const { runnerId, hostname, from, until } of presences) {
    const row = rows.get(runnerId) ?? { runnerId, hostname, spans: [] };
    row.spans.push({ fromMs: Date.parse(from), toMs: Date.parse(until) });
    rows.set(runnerId, row);
  }
  return [...rows.values()]
    .map((row) => ({ ...row, spans: joined(row.spans) }))
    .sort((a, b) => endOf(b) - endOf(a) || (a.hostname < b.hostname ? -1 : 1));
}

/** Says over the whole range when any runner was connected. */
export function summarize(presence: Presence): PresenceSummary {
  const toMs = Date.parse(presence.to);
  const any = joined(
    presence.presences.map(({ from, until }) => ({ fromMs: Date.parse(from), toMs: Date.parse(until) })),
  );
  const sinceMs = any[0]?.fromMs;
  if (sinceMs === undefined) return { share: 0, absences: [], sinceMs };
  const ends = [...any.slice(1).map(({ fromMs }) => fromMs), toMs];
  const absences = any
    .map(({ toMs: endMs }, i): Span => ({ fromMs: endMs, toMs: ends[i] as number }))
    .filter((span) => lengthOf(span) >= ABSENCE_MS)
    .sort((a, b) => lengthOf(b) - lengthOf(a));
  const absentMs = absences.reduce((sum, span) => sum + lengthOf(span), 0);
  return { share: toMs > sinceMs ? 1 - absentMs / (toMs - sinceMs) : 1, absences, sinceMs };
}

function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = all.at(-1);
    if (last && span.fromMs - last.toMs < ABSENCE_MS) last.toMs = Math.max(last.toMs, span.toMs);
    else all.push({ ...span });
  }
  return all;
}

function lengthOf({ fromMs, toMs }: Span): number {
  return toMs - fromMs;
}

function endOf({ spans }: PresenceRow): number {
  return spans.at(-1)?.toMs ?? 0;
}
