/**
 * Writes published pages into a store, from which they can be served while the service is down. Pages that are no longer published are
 * removed; the store's list of claims makes sure that nothing else in the store is ever written over or removed.
 */
import { createHash } from "node:crypto";
import { MINUTE_MS, type StatusPageView } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { listPublishedSlugs } from "../pages/store.ts";
import type { StatusViews } from "../view/views.ts";
import { pageFiles } from "./page-files.ts";
import type { PageStore } from "./page-store.ts";

/** A page that did not change is written again after this, so that the instant that it names is not older. */
const WRITTEN_AGAIN_MS = 5 * MINUTE_MS;

/** Hash of a page as it was written, and when, Unix ms. */
interface Written {
  hash: string;
  atMs: number;
}

/** Marks a page whose place is something else's, which has been logged. */
const NOT_OURS = "not ours";

const NONE: ReadonlySet<string> = new Set();

/** The pages, where they are read and written, and those that this process has written. */
export interface ExportPagesInput {
  store: PageStore;
  views: StatusViews;
  /** By slug; of this store alone, and kept from one call to the next. */
  written: Map<string, Written | typeof NOT_OURS>;
  signal?: AbortSignal;
}

/**
 * Writes each published page that changed, and removes those that are published no more. A page that can't be written or removed does
 * not keep the others from it; one whose place has other content is left out, and logged once.
 * @throws AggregateError of all failures
 */
export async function exportPages(
  services: Pick<Services, "knex" | "clock" | "publicUrl" | "log">,
  { store, views, written, signal }: ExportPagesInput,
): Promise<void> {
  const { knex, clock, publicUrl, log } = services;
  const published = new Set(await listPublishedSlugs(knex));
  const before = await store.readClaims();
  const ours = new Set(before);
  const claimed = new Set<string>();
  const removed = new Set<string>();
  const errors: unknown[] = [];
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      errors.push(error);
    }
  };
  for (const slug of published)
    await attempt(async () => {
      if (ours.has(slug)) return;
      if (await store.claim(slug)) claimed.add(slug);
      else if (written.get(slug) !== NOT_OURS) {
        log.warn({ path: store.addressOf(slug) }, "status page is not exported: something else has its name");
        written.set(slug, NOT_OURS);
      }
    });
  // The list is written before the pages: a page is never left behind unlisted. One that is left empty can be claimed again.
  await changeClaims(store, { add: claimed });
  for (const slug of claimed) ours.add(slug);
  for (const slug of published) {
    if (signal?.aborted) return;
    if (!ours.has(slug)) continue;
    await attempt(async () => {
      const view = await views.ofSlug(slug);
      if (!view) return;
      const hash = hashOf(view);
      const nowMs = clock.nowMs();
      const last = written.get(slug);
      if (last && last !== NOT_OURS && last.hash === hash && nowMs - last.atMs < WRITTEN_AGAIN_MS) return;
      // Forgotten first: after a failure, nobody knows which of the files are the new ones.
      written.delete(slug);
      await store.write(slug, pageFiles(view, `${publicUrl()}/status/${slug}`));
      written.set(slug, { hash, atMs: nowMs });
    });
  }
  for (const slug of written.keys()) if (!published.has(slug)) written.delete(slug);
  for (const slug of before)
    if (!published.has(slug))
      await attempt(async () => {
        await store.remove(slug);
        removed.add(slug);
      });
  await changeClaims(store, { remove: removed });
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} status pages could not be exported`);
}

/** Returns the hash of what a page tells, whenever it was read. */
function hashOf({ asOf: _asOf, ...view }: StatusPageView): string {
  return createHash("sha256").update(JSON.stringify(view)).digest("base64");
}

/**
 * Adds slugs to the claims of a store, and takes others out. The list is read again for it: a replica whose lock was lost may work
 * beside this one, and what it has claimed meanwhile must stay listed.
 */
async function changeClaims(
  store: PageStore,
  { add = NONE, remove = NONE }: { add?: ReadonlySet<string>; remove?: ReadonlySet<string> },
): Promise<void> {
  if (add.size + remove.size === 0) return;
  const claims = new Set([...(await store.readClaims()), ...add]);
  for (const slug of remove) claims.delete(slug);
  await store.writeClaims([...claims].sort());
}
