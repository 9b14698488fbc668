/** Reads what a status page tells. Only names, texts and instants that people chose for the page, states and shares leave this file. */
import { DAY_MS, groupBy, STATUS_DAYS, STATUS_PAGE_CHECKS_MAX, type StatusPageView } from "@svc/contract";
import type { Knex } from "knex";
import { activeWindowsFor } from "../../checks/maintenance/held-store.ts";
import type { Services } from "../../platform/services.ts";
import { isActiveAt, noticeFromRow } from "../notices/notice.ts";
import { type NoticeRow, readShownNotices, type ShownNoticeRow } from "../notices/store.ts";
import { type ComponentCheck, type PageRow, readComponentChecks } from "../pages/store.ts";
import { type DayFigures, type DaysOfChecks, daysOfComponent, firstDayMs } from "./days.ts";
import { readStandings } from "./standing-store.ts";
import { gravest, stateOfCheck, stateOfChecks, withNotices } from "./state.ts";

/** Notices that a page shows. */
const NOTICES_MAX = 50;
/** Characters of the texts of a page's updates. */
const NOTICE_CHARACTERS_MAX = 200_000;

/** Reads the days of checks, which may be some minutes old. */
export type ReadDays = (checks: readonly ComponentCheck[], nowMs: number) => Promise<DaysOfChecks>;

/** Reads what a page tells now. */
export async function readView(
  { knex, clock }: Pick<Services, "knex" | "clock">,
  page: PageRow,
  readDays: ReadDays,
): Promise<StatusPageView> {
  const nowMs = clock.nowMs();
  const checks = fitting(await readComponentChecks(knex, page.key, STATUS_PAGE_CHECKS_MAX));
  const days = await readDays(checks, nowMs);
  const states = await readStates(knex, page, { checks, nowMs });
  const notices = await readShownNotices(knex, page.key, {
    endedAfterMs: nowMs - STATUS_DAYS * DAY_MS,
    nowMs,
    rowsMax: NOTICES_MAX,
    charactersMax: NOTICE_CHARACTERS_MAX,
  });
  const active = notices.filter((notice) => isActiveAt(notice, nowMs));
  const components = page.components.map(({ name, position }) => {
    const own = checks.filter((check) => check.position === position);
    const figures = own.flatMap(({ key }): DayFigures[][] => [days.get(key) ?? []]);
    const concerning = active.filter((notice) => notice.components.includes(name));
    return {
      name,
      state: withNotices(stateOfChecks(own.map(({ key }) => states.get(key) ?? "unknown")), concerning),
      ...daysOfComponent(figures, firstDayMs(nowMs)),
    };
  });
  return {
    slug: page.slug,
    title: page.title,
    description: page.description,
    subscriptions: { email: page.hasMailSubscriptions },
    state: gravest([...components.map(({ state }) => state), ...saidOfAll(active)]),
    asOf: new Date(nowMs).toISOString(),
    components,
    notices: notices.map((notice) => publicNotice(notice, nowMs)),
  };
}

/** Returns the checks of the components that fit into a page: a component has all of its checks or none. */
function fitting(checks: readonly ComponentCheck[]): ComponentCheck[] {
  const known = new Set<number>();
  const fit: ComponentCheck[] = [];
  for (const own of groupBy(checks, ({ position }) => position).values()) {
    const added = own.filter(({ key }) => !known.has(key));
    if (known.size + added.length > STATUS_PAGE_CHECKS_MAX) continue;
    for (const { key } of added) known.add(key);
    fit.push(...own);
  }
  return fit;
}

async function readStates(
  knex: Knex,
  { teamId }: PageRow,
  { checks, nowMs }: { checks: readonly ComponentCheck[]; nowMs: number },
) {
  if (checks.length === 0) return new Map();
  const ids = new Map(checks.map(({ key, id }) => [key, id]));
  const standings = await readStandings(knex, [...ids.keys()], nowMs);
  const windows = await activeWindowsFor(knex, { teamId, checkIds: [...ids.values()], atMs: nowMs });
  const held = new Set(windows.map(({ checkId }) => checkId));
  return new Map(
    standings.map((standing) => [
      standing.key,
      held.has(ids.get(standing.key) as ComponentCheck["id"])
        ? ("maintenance" as const)
        : stateOfCheck(standing),
    ]),
  );
}

/** Returns the states that active incidents without components give to the page as a whole. */
function saidOfAll(active: readonly NoticeRow[]) {
  return active
    .filter(({ components, kind }) => components.length === 0 && kind === "incident")
    .flatMap(({ impact }) => (impact === null || impact === "none" ? [] : [impact]));
}

function publicNotice(row: ShownNoticeRow, nowMs: number): StatusPageView["notices"][number] {
  const { createdAt, updatedAt, ...shown } = noticeFromRow(row, nowMs);
  return { ...shown, updatesLeftOut: row.updateCount - row.updates.length };
}
