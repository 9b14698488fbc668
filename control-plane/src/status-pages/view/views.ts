/** Published pages as everybody reads them: read once for all who ask within some seconds, so that a crowd costs no more than one reader. */
import { MINUTE_MS, SECOND_MS, type StatusPageView } from "@svc/contract";
import pLimit from "p-limit";
import { BriefCache } from "../../overview/brief-cache.ts";
import type { Services } from "../../platform/services.ts";
import { findPublishedPage, isPublished, type PageRow } from "../pages/store.ts";
import { type DaysOfChecks, readDays } from "./days.ts";
import { type ReadDays, readView } from "./read-view.ts";

/** Time for which a view is kept, and for which caches may keep it. */
export const VIEW_LIFETIME_MS = 10 * SECOND_MS;
/** Time for which the days of a page's checks are kept: they are dear, and change little. */
const DAYS_LIFETIME_MS = 5 * MINUTE_MS;

/** Components and blocks of text that are kept in views: with the texts of its forms, one takes some 30 kB. */
const VIEWS_WEIGHT_MAX = 2_000;
/** Characters of notices that weigh as much as a component. */
const BLOCK_CHARACTERS = 5_000;
/** Checks whose days are kept: those of one take some 5 kB. */
const DAYS_CHECKS_MAX = 10_000;
/** Pages whose days are read at a time; others wait. */
const DAYS_READINGS_MAX = 4;

/** Reads views and keeps them for a short time. One for each process. */
export class StatusViews {
  readonly #services: Pick<Services, "knex" | "clock">;
  readonly #views = new BriefCache<StatusPageView | undefined>(VIEW_LIFETIME_MS, {
    weightMax: VIEWS_WEIGHT_MAX,
    weightOf: weightOfView,
  });
  readonly #days = new BriefCache<DaysOfChecks>(DAYS_LIFETIME_MS, {
    weightMax: DAYS_CHECKS_MAX,
    weightOf: ({ size }) => 1 + size,
  });
  readonly #daysReading = pLimit(DAYS_READINGS_MAX);

  constructor(services: Pick<Services, "knex" | "clock">) {
    this.#services = services;
  }

  /** Returns what the published page with the slug tells; undefined when there is none. */
  async ofSlug(slug: string): Promise<StatusPageView | undefined> {
    const { knex, clock } = this.#services;
    // Guessed slugs must not drive the pages that are read out of the cache.
    if (!this.#views.has(slug, clock.nowMs()) && !(await isPublished(knex, slug))) return undefined;
    return this.#views.get(slug, clock.nowMs(), async () => {
      const page = await findPublishedPage(knex, slug);
      return page && this.ofPage(page);
    });
  }

  /** Returns what a page tells, published or not; only its days may be some minutes old. */
  ofPage(page: PageRow): Promise<StatusPageView> {
    const read: ReadDays = (checks, nowMs) => {
      const key = [page.id, ...new Set(checks.map((check) => check.key))].join(" ");
      return this.#days.get(key, nowMs, () =>
        this.#daysReading(() => readDays(this.#services.knex, unique(checks), nowMs)),
      );
    };
    return readView(this.#services, page, read);
  }
}

function weightOfView(view: StatusPageView | undefined): number {
  if (!view) return 1;
  const characters = view.notices
    .flatMap(({ updates }) => updates.map(({ text }) => text.length))
    .reduce((sum, length) => sum + length, 0);
  return 1 + view.components.length + Math.ceil(characters / BLOCK_CHARACTERS);
}

function unique<Item extends { key: number }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.key, item])).values()];
}
