/** The badge of a status page: its state as a small picture, whose text is drawn by the reader's own font. */
import type { ComponentState } from "@svc/contract";
import { STATE_WORDS } from "./words.ts";

const COLORS: Record<ComponentState, string> = {
  operational: "#1a7f37",
  degraded: "#8a5c00",
  outage: "#b3202a",
  maintenance: "#0958b8",
  unknown: "#57606a",
};

/** Headers of a badge: it may be shown by any site, and runs and loads nothing. */
export const BADGE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "image/svg+xml; charset=utf-8",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
};

/** Returns the badge of a state as SVG. It holds the state, and nothing else of the page. */
export function badgeSvg(state: ComponentState): string {
  const word = STATE_WORDS[state];
  const width = 58 + word.length * 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="Status: ${word}">
<title>Status: ${word}</title>
<rect width="${width}" height="20" rx="3" fill="#444c56"/>
<path d="M48 0h${width - 51}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H48z" fill="${COLORS[state]}"/>
<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11"><text x="6" y="14">status</text><text x="54" y="14">${word}</text></g>
</svg>
`;
}
