/**
 * Writes published pages into a folder, from which any web server can serve them while the service is down. A file is written under
 * another name and then renamed, so that a reader never sees half of one. Pages that are no longer published are removed; a list of
 * the folders that were claimed makes sure that nothing else in the folder is ever written to or removed.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { MINUTE_MS, type StatusPageView, statusSlugSchema } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { listPublishedSlugs } from "../pages/store.ts";
import type { StatusViews } from "../view/views.ts";
import { claimFolder, removePage, writePage, writeWhole } from "./page-folder.ts";

/** A page that did not change is written again after this, so that the instant that it names is not older. */
const WRITTEN_AGAIN_MS = 5 * MINUTE_MS;
/** File in the folder that lists the pages that were written. */
const WRITTEN_FILE = ".svc-status-pages.json";

/** Hash of a page as it was written, and when, Unix ms. */
interface Written {
  hash: string;
  atMs: number;
}

/** Marks a page whose folder is something else's, which has been logged. */
const NOT_OURS = "not ours";

/** The pages, where they are read and written, and those that this process has written. */
export interface ExportPagesInput {
  folder: string;
  views: StatusViews;
  /** By slug; kept from one call to the next. */
  written: Map<string, Written | typeof NOT_OURS>;
  signal?: AbortSignal;
}

/**
 * Writes each published page that changed, and removes those that are published no more. A page that can't be written or removed does
 * not keep the others from it; one whose folder has other content is left out, and logged once.
 * @throws AggregateError of all failures
 */
export async function exportPages(
  services: Pick<Services, "knex" | "clock" | "publicUrl" | "log">,
  { folder, views, written, signal }: ExportPagesInput,
): Promise<void> {
  const { knex, clock, publicUrl, log } = services;
  await mkdir(folder, { recursive: true });
  const published = new Set(await listPublishedSlugs(knex));
  const before = await readWritten(folder);
  const ours = new Set(before);
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
      if (await claimFolder(join(folder, slug))) ours.add(slug);
      else if (written.get(slug) !== NOT_OURS) {
        log.warn({ path: join(folder, slug) }, "status page is not exported: something else has its name");
        written.set(slug, NOT_OURS);
      }
    });
  // The list is written before the pages: a folder with a page is never left behind. One that is left empty can be claimed again.
  const listed = await writeWritten(folder, { before, now: ours });
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
      await writePage(join(folder, slug), view, `${publicUrl()}/status/${slug}`);
      written.set(slug, { hash, atMs: nowMs });
    });
  }
  for (const slug of written.keys()) if (!published.has(slug)) written.delete(slug);
  for (const slug of listed)
    if (!published.has(slug))
      await attempt(async () => {
        await removePage(join(folder, slug));
        ours.delete(slug);
      });
  await writeWritten(folder, { before: listed, now: ours });
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} status pages could not be exported`);
}

/** Returns the hash of what a page tells, whenever it was read. */
function hashOf({ asOf: _asOf, ...view }: StatusPageView): string {
  return createHash("sha256").update(JSON.stringify(view)).digest("base64");
}

/** Stores the slugs of the pages whose folders are ours, if they are not those from before. Returns them. */
async function writeWritten(
  folder: string,
  { before, now }: { before: readonly string[]; now: ReadonlySet<string> },
): Promise<string[]> {
  const slugs = [...now].sort();
  if (slugs.join() !== before.join()) await writeWhole(join(folder, WRITTEN_FILE), JSON.stringify(slugs));
  return slugs;
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
