/**
 * Small HTML pages of the service's own: one layout, and a policy that lets nothing run or load but what the page
 * itself holds.
 */
import { createHash } from "node:crypto";

/** A page. */
export interface HtmlPage {
  title: string;
  /** Markup inside `<main>`; what others wrote in it is escaped by {@link escapeHtml}. */
  body: string;
  /** The page's one script; absent for a page that works without. */
  script?: string;
}

const STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { margin: 0; } main { max-width: 32rem; margin: 10vh auto; padding: 0 1.25rem; }
body { background: #fff; color: #1b1f24; } a { color: #0958b8; }
@media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3; } a { color: #79b8ff; } }
main { overflow-wrap: anywhere; } h1 { font-size: 1.4rem; } label { display: block; margin-top: .75rem; }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; }
.code { font: 700 2rem/1.2 ui-monospace, monospace; letter-spacing: .12em; }
.actions { display: flex; gap: .75rem; margin-top: 1.25rem; }
button, .button { font: inherit; padding: .55rem 1.2rem; border: 2px solid #1f5fbf; border-radius: .4rem;
  background: #1f5fbf; color: #fff; cursor: pointer; text-decoration: none; }
button.quiet { background: transparent; color: inherit; }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 3px solid #e08a00; outline-offset: 2px; }`;

/** Returns a whole HTML document. Send it with the headers that {@link pageHeaders} returns for its script. */
export function htmlPage({ title, body, script }: HtmlPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>${script === undefined ? "" : `\n<noscript><p>This page needs JavaScript.</p></noscript>\n<script>${script}</script>`}
</body>
</html>
`;
}

/** Returns the headers of a page: its type, no caching, and a policy under which only its own script and style run. */
export function pageHeaders(script?: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`, "connect-src 'self'"]),
    `style-src ${hashOf(STYLE)}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": policy,
  };
}

/** Returns the text as it may stand in markup and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
