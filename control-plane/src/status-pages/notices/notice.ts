/** Rules of notices: what is refused, how updates begin and end them, and how they are shown. Pure. */
import {
  DAY_MS,
  DomainError,
  invalidField,
  isStatusOf,
  MINUTE_MS,
  NOTICE_UPDATES_MAX,
  type NoticeKind,
  type NoticeStatus,
  type StatusNotice,
  statusMessage,
} from "@svc/contract";
import type { ComponentRow } from "../pages/store.ts";
import type { NoticeRow, NoticeValues } from "./store.ts";

/** Returns a notice as the API shows it. `nowMs`: Unix ms. */
export function noticeFromRow(row: NoticeRow, nowMs: number): StatusNotice {
  const { id, kind, title, impact, components, startsAt, endsAt, updates, createdAt, updatedAt } = row;
  return {
    id,
    kind,
    title,
    impact,
    components,
    startsAt: new Date(startsAt).toISOString(),
    endsAt: endsAt && new Date(endsAt).toISOString(),
    isActive: isActiveAt(row, nowMs),
    updates: [...updates].reverse(),
    createdAt,
    updatedAt,
  };
}

/** True when a notice has begun and not ended. `nowMs`: Unix ms. */
export function isActiveAt(
  { startsAt, endsAt }: Pick<NoticeRow, "startsAt" | "endsAt">,
  nowMs: number,
): boolean {
  return Date.parse(startsAt) <= nowMs && (endsAt === null || Date.parse(endsAt) > nowMs);
}

/** Returns the columns of a stored notice that its verbs write. */
export function valuesOf({ title, impact, components, startsAt, endsAt, updates }: NoticeRow): NoticeValues {
  return {
    title,
    impact,
    components,
    startsAtMs: Date.parse(startsAt),
    endsAtMs: endsAt === null ? null : Date.parse(endsAt),
    updates,
  };
}

/**
 * Refuses a notice whose end does not lie after its start.
 * @throws DomainError `invalid`
 */
export function assertTimes({ startsAtMs, endsAtMs }: Pick<NoticeValues, "startsAtMs" | "endsAtMs">): void {
  if (endsAtMs !== null && endsAtMs <= startsAtMs)
    throw invalidField("endsAt", "endsAt has to lie after startsAt");
}

/** Difference to the clock of whoever writes a notice that is let go by, ms. */
const CLOCK_SKEW_MS = MINUTE_MS;
/** An incident can't have begun longer ago, ms: ten years. */
const INCIDENT_AGE_MS_MAX = 3_653 * DAY_MS;

/** A notice's kind, its times (Unix ms) and the status of its newest update. */
interface NoticeState extends Pick<NoticeValues, "startsAtMs" | "endsAtMs"> {
  kind: NoticeKind;
  status: NoticeStatus;
  /** True for maintenance that is moved into the past, where its times alone say that it is over. */
  mayHaveEnded?: boolean;
}

/**
 * Refuses times that the status of a notice contradicts: an end that has come though it goes on, one that has not though it is
 * over, a start that has not come though it is under way, and an incident that begins in the future or began very long ago.
 * @throws DomainError `invalid`, naming the time
 */
export function assertAgrees(
  { kind, status, startsAtMs, endsAtMs, mayHaveEnded = false }: NoticeState,
  nowMs: number,
): void {
  const isOver = status === "resolved" || status === "completed";
  if (isOver && (endsAtMs === null || endsAtMs > nowMs + CLOCK_SKEW_MS))
    throw invalidField("endsAt", `lies in the future, which the status ${status} says is over`);
  if (!isOver && !mayHaveEnded && endsAtMs !== null && endsAtMs <= nowMs)
    throw invalidField("endsAt", `lies in the past, and the status ${status} says that it goes on`);
  const hasBegun = startsAtMs <= nowMs + CLOCK_SKEW_MS;
  if (kind === "incident" && !hasBegun)
    throw invalidField(
      "startsAt",
      "lies in the future: an incident has begun; what is planned is maintenance",
    );
  if (kind === "incident" && startsAtMs < nowMs - INCIDENT_AGE_MS_MAX)
    throw invalidField("startsAt", "lies more than ten years in the past");
  if (status === "in_progress" && !hasBegun)
    throw invalidField("startsAt", `lies in the future, and the status ${status} says that it has begun`);
}

/**
 * Refuses names of components that the page does not have.
 * @throws DomainError `invalid`, naming each of them
 */
export function assertComponents(names: readonly string[], components: readonly ComponentRow[]): void {
  const known = new Set(components.map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw invalidField(
      "components",
      `the page has no component ${unknown.map((name) => `"${name}"`).join(", ")}`,
    );
}

/**
 * Returns a notice with one more update. `resolved` and `completed` end it; another status of an incident that had ended opens the
 * incident again.
 * @throws DomainError `invalid` for a status of the other kind, `conflict` for maintenance that is over, `limit_exceeded`
 */
export function withUpdate(
  row: NoticeRow,
  { status, text }: { status: NoticeStatus; text: string },
  nowMs: number,
): NoticeValues {
  if (!isStatusOf(row.kind, status)) throw invalidField("status", statusMessage(row.kind));
  if (row.updates.length >= NOTICE_UPDATES_MAX)
    throw new DomainError("limit_exceeded", `A notice has at most ${NOTICE_UPDATES_MAX} updates`);
  const values = valuesOf(row);
  const hasEnded = values.endsAtMs !== null && values.endsAtMs <= nowMs;
  const updates = [...row.updates, { status, text, at: new Date(nowMs).toISOString() }];
  if (status === "resolved" || status === "completed") {
    // Work that ends before it was to begin took no time at all; an interval has to have some.
    const endsAtMs = hasEnded ? values.endsAtMs : nowMs;
    const startsAtMs = Math.min(values.startsAtMs, (endsAtMs ?? nowMs) - 1);
    return { ...values, updates, startsAtMs, endsAtMs };
  }
  if (row.kind === "incident") return { ...values, updates, endsAtMs: hasEnded ? null : values.endsAtMs };
  if (hasEnded)
    throw new DomainError("conflict", "The maintenance is over; its updates can only be completed now");
  // Work that is said to be under way has begun, also before it was to.
  const startsAtMs = status === "in_progress" ? Math.min(values.startsAtMs, nowMs) : values.startsAtMs;
  return { ...values, updates, startsAtMs };
}
