/** The Atom feed (RFC 4287) of a status page: one entry for each update of a notice, the newest first. */
import type { StatusPageView } from "@svc/contract";
import { NOTICE_WORDS } from "./words.ts";

/** Entries of a feed. */
const ENTRIES_MAX = 100;

/** Headers of a feed. */
export const FEED_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/atom+xml; charset=utf-8",
  "content-security-policy": "default-src 'none'; sandbox",
  "access-control-allow-origin": "*",
};

/** Returns the feed of a view. `url` is the public address of its page. */
export function atomFeed(view: StatusPageView, url: string): string {
  const entries = view.notices
    .flatMap((notice) =>
      notice.updates.map((update, index) => ({
        notice,
        update,
        nth: notice.updates.length + notice.updatesLeftOut - index,
      })),
    )
    .sort((a, b) => (a.update.at < b.update.at ? 1 : -1))
    .slice(0, ENTRIES_MAX);
  const updated =
    entries[0]?.update.at ?? `${view.components[0]?.days[0]?.date ?? view.asOf.slice(0, 10)}T00:00:00.000Z`;
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escapeXml(url)}</id>
<title>${escapeXml(view.title)}</title>
<updated>${updated}</updated>
<author><name>${escapeXml(view.title)}</name></author>
<link rel="alternate" type="text/html" href="${escapeXml(url)}"/>
<link rel="self" type="application/atom+xml" href="${escapeXml(`${url}/feed.atom`)}"/>
${entries
  .map(
    ({ notice, update, nth }) => `<entry>
<id>${escapeXml(`${url}#${notice.id}-${nth}`)}</id>
<title>${escapeXml(`${NOTICE_WORDS[update.status]}: ${notice.title}`)}</title>
<updated>${update.at}</updated>
<link rel="alternate" type="text/html" href="${escapeXml(url)}"/>
<content type="text">${escapeXml(update.text)}</content>
</entry>`,
  )
  .join("\n")}
</feed>
`;
}

/** Returns text as it may stand in XML 1.0, without the control characters that no escape allows there. */
function escapeXml(text: string): string {
  return (
    text
      .replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what XML can't hold
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
      .toWellFormed()
  );
}
