/** Rules of notices: what is refused, how updates begin and end them, and how they are shown. Pure. */
import {
  DomainError,
  invalidField,
  isStatusOf,
  NOTICE_UPDATES_MAX,
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
  return { ...values, updates };
}
