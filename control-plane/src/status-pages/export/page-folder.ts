/** Folders of exported pages. A folder is claimed only when nothing stands in it, and only the files that are written here are removed. */
import { lstat, mkdir, readdir, rename, rmdir, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { StatusPageView } from "@svc/contract";
import { badgeSvg } from "../view/badge.ts";
import { atomFeed } from "../view/feed.ts";
import { statusPageHtml } from "../view/page.ts";
import { viewJson } from "../view/view-json.ts";

const LINKS = { json: "status.json", badge: "badge.svg", feed: "feed.atom", isFile: true };
const FILES = [LINKS.json, LINKS.badge, LINKS.feed, "index.html"];

/** Makes the folder of a page, or claims one in which nothing stands. Returns false when something else has its name. */
export async function claimFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  return (await lstat(folder)).isDirectory() && (await readdir(folder)).length === 0;
}

/** Writes the files of a page into its folder. `url` is the public address of the page. */
export async function writePage(folder: string, view: StatusPageView, url: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeWhole(join(folder, LINKS.json), viewJson(view));
  await writeWhole(join(folder, LINKS.badge), badgeSvg(view.state));
  await writeWhole(join(folder, LINKS.feed), atomFeed(view, url));
  await writeWhole(join(folder, "index.html"), statusPageHtml(view, LINKS));
}

/** Removes the files of a page, and its folder unless something else stands in it. Does nothing the second time. */
export async function removePage(folder: string): Promise<void> {
  const names = FILES.flatMap((file) => [file, writtenAs(file)]);
  const removals = await Promise.allSettled(names.map((name) => unless(GONE, unlink(join(folder, name)))));
  // A file that stays keeps none of the others readable.
  const failed = removals.find((removal) => removal.status === "rejected");
  if (failed) throw failed.reason;
  await unless([...GONE, "ENOTEMPTY", "EEXIST"], rmdir(folder));
}

/** Writes a file such that a reader sees all of the text or none. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(writtenAs(path), text);
  await rename(writtenAs(path), path);
}

function writtenAs(path: string): string {
  return `${path}.new`;
}

const GONE = ["ENOENT", "ENOTDIR"];

async function unless(codes: readonly string[], work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!codes.includes(codeOf(error) ?? "")) throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
