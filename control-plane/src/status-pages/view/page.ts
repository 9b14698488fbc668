/** A status page as HTML. It works without scripts, loads nothing, and holds no text that is not in the view. */
import { createHash } from "node:crypto";
import type { ComponentState, StatusDay, StatusPageView } from "@svc/contract";
import { escapeHtml } from "../../platform/http/html-page.ts";
import { NOTICE_WORDS, PAGE_WORDS, STATE_WORDS } from "./words.ts";

const STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5;
  --back: #fff; --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --operational: #1a7f37; --degraded: #9a6700; --outage: #cf222e;
  --maintenance: #0969da; --unknown: #6e7781; --unmeasured: #d0d7de; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --soft: #9aa4af; --line: #30363d;
  --operational: #3fb950; --degraded: #d29922; --outage: #f85149; --maintenance: #58a6ff; --unknown: #9aa4af; --unmeasured: #3d444d; } }
body { margin: 0; background: var(--back); color: var(--text); overflow-wrap: anywhere; }
main { max-width: 56rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; } h3 { font-size: 1rem; margin: 0; }
.text { white-space: pre-line; margin: .25rem 0; } .soft { color: var(--soft); font-size: .875rem; margin: .25rem 0; }
.overall { border: 2px solid; border-radius: .4rem; padding: .6rem 1rem; margin: 1rem 0; font-weight: 600; }
.component, .notice { border: 1px solid var(--line); border-radius: .4rem; padding: .75rem 1rem; margin: .75rem 0; }
.head { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; }
.operational { color: var(--operational); } .degraded { color: var(--degraded); } .outage { color: var(--outage); }
.maintenance { color: var(--maintenance); } .unknown { color: var(--unknown); }
svg.days { display: block; width: 100%; height: 2rem; margin: .5rem 0 0; }
svg .operational { fill: var(--operational); } svg .degraded { fill: var(--degraded); } svg .outage { fill: var(--outage); }
svg .unmeasured { fill: var(--unmeasured); } svg .gap { fill: var(--unmeasured); }
summary { cursor: pointer; color: var(--soft); font-size: .875rem; }
table { border-collapse: collapse; font-size: .875rem; } th, td { text-align: left; padding: .15rem 1rem .15rem 0; font-weight: 400; }
a { color: var(--maintenance); } :focus-visible { outline: 3px solid var(--degraded); outline-offset: 2px; }
form { margin: .5rem 0 0; } .fields { display: flex; flex-wrap: wrap; gap: .5rem; margin: .25rem 0; }
input { font: inherit; color: inherit; background: var(--back); border: 1px solid var(--soft); border-radius: .4rem; padding: .45rem .6rem;
  flex: 1 1 14rem; min-width: 0; max-width: 24rem; box-sizing: border-box; }
button { font: inherit; color: var(--back); background: var(--maintenance); border: 1px solid var(--maintenance); border-radius: .4rem;
  padding: .45rem 1rem; cursor: pointer; }
ol { list-style: none; margin: .5rem 0 0; padding: 0; } li { margin: .5rem 0 0; }`;

/** @param formAction where its forms may lead */
const policyOf = (formAction: "'none'" | "'self'") => [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  `form-action ${formAction}`,
  "base-uri 'none'",
];

/** Headers of the page: a policy under which nothing runs or loads, and nothing is sent but to this service. */
export const STATUS_PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [...policyOf("'self'"), "frame-ancestors 'none'"].join("; "),
};

/** Addresses of the other forms of a page, as its links name them. */
export interface PageLinks {
  json: string;
  badge: string;
  feed: string;
  /** Where its form of subscriptions is sent; absent: it has none. */
  subscribe?: string;
  /** True for a page that somebody else's web server sends: the document itself has the policy then. */
  isFile: boolean;
}

/** Returns the HTML document of a view. */
export function statusPageHtml(view: StatusPageView, links: PageLinks): string {
  const current = view.notices.filter(({ isActive }) => isActive);
  const others = view.notices.filter(({ isActive }) => !isActive);
  const coming = others.filter(({ startsAt }) => startsAt > view.asOf).reverse();
  const past = others.filter(({ startsAt }) => startsAt <= view.asOf);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">${links.isFile ? `\n<meta http-equiv="Content-Security-Policy" content="${policyOf("'none'").join("; ")}">` : ""}
<title>${escapeHtml(view.title)}</title>
<link rel="alternate" type="application/atom+xml" href="${escapeHtml(links.feed)}" title="${escapeHtml(view.title)}">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(view.title)}</h1>
${view.description === "" ? "" : `<p class="text">${escapeHtml(view.description)}</p>`}
<p class="overall ${view.state}">${PAGE_WORDS[view.state]}</p>
<p class="soft">As of ${time(view.asOf)}. Reload the page for newer figures.</p>
${section("Under way", current)}${section("Planned", coming)}<h2>Components</h2>
${view.components.length === 0 ? '<p class="soft">The page has no components.</p>' : view.components.map(componentHtml).join("\n")}
${section("The last 90 days", past) || '<h2>The last 90 days</h2>\n<p class="soft">There is no notice that is over.</p>\n'}${subscribeHtml(view, links)}<h2>Elsewhere</h2>
<p class="soft"><a href="${escapeHtml(links.feed)}">Atom feed</a>, <a href="${escapeHtml(links.json)}">JSON</a>, <a href="${escapeHtml(links.badge)}">badge</a>. Days are in UTC. Where nothing was measured, a day is shown as no data.</p>
</main>
</body>
</html>
`;
}

function subscribeHtml({ subscriptions }: StatusPageView, { subscribe }: PageLinks): string {
  if (!subscriptions.email || subscribe === undefined) return "";
  return `<h2>Updates by mail</h2>
<form method="post" action="${escapeHtml(subscribe)}">
<label for="email">Mail address</label>
<p class="fields"><input id="email" name="email" type="email" autocomplete="email" required maxlength="254"><button type="submit">Subscribe</button></p>
<p class="soft">A mail with a link comes first. Each later one has a link that ends the subscription and deletes the address.</p>
</form>
`;
}

type Component = StatusPageView["components"][number];

function componentHtml({ name, state, goodPercent, days }: Component): string {
  const unusual = days.filter(isUnusual).reverse();
  const withoutData = days.filter((day) => day.state === "unmeasured").length;
  const share =
    goodPercent === null ? "Nothing was measured in 90 days" : `${goodPercent} % of results were good`;
  const gaps = withoutData === 0 ? "" : `; ${withoutData} of ${days.length} days have no data`;
  return `<section class="component">
<div class="head"><h3>${escapeHtml(name)}</h3><span class="${state}">${STATE_WORDS[state]}</span></div>
<svg class="days" viewBox="0 0 ${days.length * 4} 32" preserveAspectRatio="none" role="img" aria-label="${days.length} days, the oldest first. ${share}${gaps}.">
${days.map(barSvg).join("")}
</svg>
<p class="soft">${share}${gaps}.</p>${
    unusual.length === 0
      ? ""
      : `
<details><summary>Days that were not wholly good or not wholly measured</summary>
<table><thead><tr><th scope="col">Day</th><th scope="col">State</th><th scope="col">Good results</th><th scope="col">Measured</th></tr></thead>
<tbody>${unusual.map(dayRow).join("")}</tbody></table></details>`
  }
</section>`;
}

/** True of days that the table lists. Days on which nothing was due are only counted. */
function isUnusual({ state, goodPercent, measuredPercent }: StatusDay): boolean {
  if (state === "unmeasured") return measuredPercent !== null;
  return goodPercent !== 100 || (measuredPercent !== null && measuredPercent < 100);
}

/** A bar as high as the part of the day that was measured; the rest is shown as no data. */
function barSvg(day: StatusDay, index: number): string {
  const x = index * 4;
  const title = `<title>${day.date}: ${dayWords(day)}</title>`;
  if (day.state === "unmeasured")
    return `<g>${title}<rect class="unmeasured" x="${x}" y="0" width="3" height="32"/></g>`;
  const height = Math.max(4, Math.round((32 * (day.measuredPercent ?? 100)) / 100));
  const gap = height < 32 ? `<rect class="gap" x="${x}" y="0" width="3" height="${32 - height}"/>` : "";
  return `<g>${title}${gap}<rect class="${day.state}" x="${x}" y="${32 - height}" width="3" height="${height}"/></g>`;
}

const DAY_WORDS: Record<StatusDay["state"], string> = {
  operational: STATE_WORDS.operational,
  degraded: STATE_WORDS.degraded,
  outage: STATE_WORDS.outage,
  unmeasured: "No data",
};

function dayWords({ state, goodPercent, measuredPercent }: StatusDay): string {
  if (goodPercent === null) return DAY_WORDS[state];
  const measured =
    measuredPercent === null || measuredPercent >= 100 ? "" : `, ${measuredPercent} % of the day measured`;
  return `${DAY_WORDS[state]}, ${goodPercent} % of results good${measured}`;
}

function dayRow(day: StatusDay): string {
  const percent = (value: number | null) => (value === null ? "-" : `${value} %`);
  return `<tr><th scope="row">${day.date}</th><td>${DAY_WORDS[day.state]}</td><td>${percent(day.goodPercent)}</td><td>${percent(day.measuredPercent)}</td></tr>`;
}

function section(title: string, notices: StatusPageView["notices"]): string {
  return notices.length === 0 ? "" : `<h2>${title}</h2>\n${notices.map(noticeHtml).join("\n")}\n`;
}

function noticeHtml(notice: StatusPageView["notices"][number]): string {
  const { kind, title, impact, components, startsAt, endsAt, updates, updatesLeftOut } = notice;
  const state: ComponentState =
    kind === "maintenance" ? "maintenance" : impact === "none" || impact === null ? "unknown" : impact;
  const word =
    kind === "maintenance"
      ? "Maintenance"
      : impact === "none" || impact === null
        ? "Incident"
        : STATE_WORDS[impact];
  return `<article class="notice">
<div class="head"><h3>${escapeHtml(title)}</h3><span class="${state}">${word}</span></div>
<p class="soft">${time(startsAt)}${endsAt === null ? "" : ` to ${time(endsAt)}`}${
    components.length === 0 ? "" : `. ${escapeHtml(components.join(", "))}`
  }</p>
<ol>${updates
    .map(
      ({ status, text, at }) =>
        `<li><strong>${NOTICE_WORDS[status]}</strong> <span class="soft">${time(at)}</span><p class="text">${escapeHtml(text)}</p></li>`,
    )
    .join(
      "",
    )}</ol>${updatesLeftOut === 0 ? "" : `\n<p class="soft">Older updates are left out: ${updatesLeftOut}.</p>`}
</article>`;
}

/** Returns an instant in UTC to the minute. */
function time(at: string): string {
  return `<time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 16)} UTC</time>`;
}
