/**
 * Writes published pages into a folder, from which any web server can serve them while the service is down. A file is written under
 * another name and then renamed, so that a reader never sees half of one. Pages that are no longer published are removed; a list of
 * what was written makes sure that nothing else in the folder ever is.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MINUTE_MS, type StatusPageView, statusSlugSchema } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { listPublishedSlugs } from "../pages/store.ts";
import { badgeSvg } from "../view/badge.ts";
import { atomFeed } from "../view/feed.ts";
import { statusPageHtml } from "../view/page.ts";
import { viewJson } from "../view/view-json.ts";
import type { StatusViews } from "../view/views.ts";

/** A page that did not change is written again after this, so that the instant that it names is not older. */
const WRITTEN_AGAIN_MS = 5 * MINUTE_MS;
/** File in the folder that lists the pages that were written. */
const WRITTEN_FILE = ".svc-status-pages.json";

/** Hash of a page as it was written, and when, Unix ms. */
interface Written {
  hash: string;
  atMs: number;
}

/** The pages, where they are read and written, and those that this process has written. */
export interface ExportPagesInput {
  folder: string;
  views: StatusViews;
  /** By slug; kept from one call to the next. */
  written: Map<string, Written>;
  signal?: AbortSignal;
}

/**
 * Writes each published page that changed, and removes those that are published no more. A page that can't be written does not keep
 * the others from it.
 * @throws AggregateError of all failures
 */
export async function exportPages(
  { knex, clock, publicUrl }: Pick<Services, "knex" | "clock" | "publicUrl">,
  { folder, views, written, signal }: ExportPagesInput,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const slugs = await listPublishedSlugs(knex);
  const before = await readWritten(folder);
  const all = [...new Set([...before, ...slugs])].sort();
  // The list is written before the pages: a folder of ours is never left behind.
  if (all.join() !== before.join()) await writeWhole(join(folder, WRITTEN_FILE), JSON.stringify(all));
  const errors: unknown[] = [];
  for (const slug of slugs) {
    if (signal?.aborted) return;
    try {
      const view = await views.ofSlug(slug);
      if (!view) continue;
      const hash = hashOf(view);
      const nowMs = clock.nowMs();
      const last = written.get(slug);
      if (last?.hash === hash && nowMs - last.atMs < WRITTEN_AGAIN_MS) continue;
      await writePage(join(folder, slug), view, `${publicUrl()}/status/${slug}`);
      written.set(slug, { hash, atMs: nowMs });
    } catch (error) {
      errors.push(error);
    }
  }
  const published = new Set(slugs);
  for (const slug of all.filter((one) => !published.has(one))) {
    await rm(join(folder, slug), { recursive: true, force: true });
    written.delete(slug);
  }
  if (all.length > slugs.length)
    await writeWhole(join(folder, WRITTEN_FILE), JSON.stringify([...slugs].sort()));
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} status pages could not be exported`);
}

/** Returns the hash of what a page tells, whenever it was read. */
function hashOf({ asOf: _asOf, ...view }: StatusPageView): string {
  return createHash("sha256").update(JSON.stringify(view)).digest("base64");
}

async function writePage(folder: string, view: StatusPageView, url: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const links = { json: "status.json", badge: "badge.svg", feed: "feed.atom", isFile: true };
  await writeWhole(join(folder, "status.json"), viewJson(view));
  await writeWhole(join(folder, "badge.svg"), badgeSvg(view.state));
  await writeWhole(join(folder, "feed.atom"), atomFeed(view, url));
  await writeWhole(join(folder, "index.html"), statusPageHtml(view, links));
}

async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

/** Returns the slugs of the pages that were written into the folder; none where nothing was. */
async function readWritten(folder: string): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(join(folder, WRITTEN_FILE), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  const listed: unknown = JSON.parse(text);
  // Names of folders that are to be removed: nothing but slugs may become a path.
  return (Array.isArray(listed) ? listed : []).filter((slug) => statusSlugSchema.safeParse(slug).success);
}
