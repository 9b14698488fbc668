/** The files of an exported page. They link to one another, load nothing and need nothing of the service. */
import type { StatusPageView } from "@svc/contract";
import { BADGE_HEADERS, badgeSvg } from "../view/badge.ts";
import { atomFeed, FEED_HEADERS } from "../view/feed.ts";
import { STATUS_PAGE_HEADERS, statusPageHtml } from "../view/page.ts";
import { viewJson } from "../view/view-json.ts";

/** One file of a page. */
export interface PageFile {
  name: string;
  text: string;
  contentType: string;
}

const LINKS = { json: "status.json", badge: "badge.svg", feed: "feed.atom", isFile: true };
const PAGE_NAME = "index.html";

/** Names of the files of a page. */
export const PAGE_FILE_NAMES: readonly string[] = [LINKS.json, LINKS.badge, LINKS.feed, PAGE_NAME];

/** Returns the files of a page, the page itself last. `url` is the page's public address. */
export function pageFiles(view: StatusPageView, url: string): PageFile[] {
  return [
    { name: LINKS.json, text: viewJson(view), contentType: "application/json; charset=utf-8" },
    { name: LINKS.badge, text: badgeSvg(view.state), contentType: typeOf(BADGE_HEADERS) },
    { name: LINKS.feed, text: atomFeed(view, url), contentType: typeOf(FEED_HEADERS) },
    { name: PAGE_NAME, text: statusPageHtml(view, LINKS), contentType: typeOf(STATUS_PAGE_HEADERS) },
  ];
}

function typeOf(headers: Readonly<Record<string, string>>): string {
  return headers["content-type"] as string;
}
