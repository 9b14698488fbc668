/**
 * Who of a rota is on duty, by arithmetic alone: turns follow each other without gaps and without end in both directions of time, and
 * overrides cut into them. Pure.
 */
import { DAY_MS, HOUR_MS } from "./time.ts";
import { timeOfDayMs } from "./time-of-day-schema.ts";
import { instantOf, wallTimeOf } from "./zone.ts";

/** Days of the week as `Date` numbers them. */
export const WEEKDAYS = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
] as const;
/** A day of the week. */
type Weekday = (typeof WEEKDAYS)[number];

/** When a rota is handed over. Times are on the wall clock of its zone; hours are elapsed ones. */
export type HandoverRule =
  | { type: "weekly"; weekday: Weekday; time: string }
  | { type: "daily"; everyDays: number; time: string }
  | { type: "hourly"; everyHours: number };

/** The facts that decide who is on duty. Instants are Unix ms; members are distinguished by name. */
export interface DutyRota<Member extends { name: string }> {
  timezone: string;
  handover: HandoverRule;
  /** The first member is on duty at this instant. */
  startsAtMs: number;
  /** In the order of their turns. */
  members: readonly Member[];
  /** Do not overlap one another. `toMs` is the first ms after it. */
  overrides: readonly { fromMs: number; toMs: number; member: string }[];
}

/** A time in which one member is on duty: from `fromMs` to before `toMs`, Unix ms. */
export interface Duty<Member> {
  member: Member;
  fromMs: number;
  toMs: number;
  /** True when an override says so, not the turn. */
  isOverride: boolean;
}

/** Returns who is on duty at an instant (Unix ms), and from when until when; undefined for a rota without members. */
export function dutyAt<Member extends { name: string }>(
  rota: DutyRota<Member>,
  atMs: number,
): Duty<Member> | undefined {
  return dutiesBetween(rota, atMs, atMs + 1)[0];
}

/**
 * Returns who is on duty in a span of time, earliest first and without gaps. The first duty may begin before the span, and the last one
 * end after it. Empty for a rota without members.
 * @param fromMs Unix ms
 * @param toMs Unix ms, after `fromMs`
 */
export function dutiesBetween<Member extends { name: string }>(
  rota: DutyRota<Member>,
  fromMs: number,
  toMs: number,
): Duty<Member>[] {
  const startOf = turnStarts(rota);
  const overrides = [...rota.overrides].sort((a, b) => a.fromMs - b.fromMs);
  const duties: Duty<Member>[] = [];
  for (let turn = turnAt(rota, startOf, fromMs); startOf(turn) < toMs; turn++) {
    const member = rota.members[modulo(turn, rota.members.length)];
    if (!member) return [];
    duties.push(
      ...cutTurn({ member, fromMs: startOf(turn), toMs: startOf(turn + 1) }, overrides, rota.members),
    );
  }
  return joinedOverrides(duties).filter((duty) => duty.toMs > fromMs && duty.fromMs < toMs);
}

type Turn<Member> = Omit<Duty<Member>, "isOverride">;

/** Returns the parts of a turn: its own, and those of the overrides that fall into it. */
function cutTurn<Member extends { name: string }>(
  { member, fromMs, toMs }: Turn<Member>,
  overrides: DutyRota<Member>["overrides"],
  members: readonly Member[],
): Duty<Member>[] {
  const duties: Duty<Member>[] = [];
  let atMs = fromMs;
  for (const override of overrides) {
    const instead = members.find(({ name }) => name === override.member);
    if (!instead || override.toMs <= atMs || override.fromMs >= toMs) continue;
    if (override.fromMs > atMs)
      duties.push({ member, fromMs: atMs, toMs: override.fromMs, isOverride: false });
    // Whole, also where it begins in an earlier turn or ends in a later one.
    duties.push({ member: instead, fromMs: override.fromMs, toMs: override.toMs, isOverride: true });
    atMs = override.toMs;
  }
  if (atMs < toMs) duties.push({ member, fromMs: atMs, toMs, isOverride: false });
  return duties;
}

/** Drops the repetitions of an override that spans several turns. */
function joinedOverrides<Member>(duties: readonly Duty<Member>[]): Duty<Member>[] {
  return duties.filter((duty, i) => i === 0 || duty.fromMs !== duties[i - 1]?.fromMs);
}

/** Returns a function from the number of a turn to the instant at which it begins, Unix ms. Turn 0 holds the rota's start. */
function turnStarts({
  timezone,
  handover,
  startsAtMs,
}: Pick<DutyRota<never>, "timezone" | "handover" | "startsAtMs">): (turn: number) => number {
  if (handover.type === "hourly") return (turn) => startsAtMs + turn * handover.everyHours * HOUR_MS;
  const everyMs = (handover.type === "weekly" ? 7 : handover.everyDays) * DAY_MS;
  const stepMs = handover.type === "weekly" ? 7 * DAY_MS : DAY_MS;
  const startWallMs = wallTimeOf(startsAtMs, timezone);
  let anchorMs = Math.floor(startWallMs / DAY_MS) * DAY_MS + timeOfDayMs(handover.time);
  if (handover.type === "weekly") {
    const daysSince = modulo(new Date(anchorMs).getUTCDay() - WEEKDAYS.indexOf(handover.weekday), 7);
    anchorMs -= daysSince * DAY_MS;
  }
  // Twice where clocks skip the handover: its instant then lies after the wall time that was asked for.
  while (anchorMs > startWallMs || instantOf(anchorMs, timezone) > startsAtMs) anchorMs -= stepMs;
  return (turn) => instantOf(anchorMs + turn * everyMs, timezone);
}

/** Returns the number of the turn that holds an instant. A turn of no length, whose day a zone skipped, holds none. */
function turnAt(
  { handover, startsAtMs }: Pick<DutyRota<never>, "handover" | "startsAtMs">,
  startOf: (turn: number) => number,
  atMs: number,
): number {
  const everyMs =
    handover.type === "hourly"
      ? handover.everyHours * HOUR_MS
      : (handover.type === "weekly" ? 7 : handover.everyDays) * DAY_MS;
  let turn = Math.floor((atMs - startsAtMs) / everyMs);
  while (startOf(turn) > atMs) turn--;
  while (startOf(turn + 1) <= atMs) turn++;
  return turn;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
