/**
 * Scripts that run inside the page. They are text, because they must not depend on what a bundler makes of this
 * process's code.
 */

/** Records the web vitals as they come. Runs before the page's own scripts. */
export const COLLECT_VITALS = `(() => {
  if (window !== window.top || window.__svcVitals) return;
  const vitals = { cls: 0 };
  Object.defineProperty(window, "__svcVitals", { value: vitals, enumerable: false });
  const observe = (type, take) => {
    try {
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
    } catch {}
  };
  observe("largest-contentful-paint", (entry) => { vitals.lcpMs = entry.startTime; });
  observe("paint", (entry) => { if (entry.name === "first-contentful-paint") vitals.fcpMs = entry.startTime; });
  let windowStart = -Infinity, windowLast = -Infinity, windowValue = 0;
  observe("layout-shift", (entry) => {
    if (entry.hadRecentInput) return;
    if (entry.startTime - windowLast > 1000 || entry.startTime - windowStart > 5000) {
      windowStart = entry.startTime;
      windowValue = 0;
    }
    windowLast = entry.startTime;
    windowValue += entry.value;
    vitals.cls = Math.max(vitals.cls, windowValue);
  });
})()`;

/**
 * Returns the vitals so far, two frames later so that the newest paint is included; after half a second at the
 * latest.
 */
export const READ_VITALS = `new Promise((resolve) => {
  const answer = () => {
    const vitals = window.__svcVitals || {};
    const [navigation] = performance.getEntriesByType("navigation");
    const number = (value) => (typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined);
    resolve({
      lcpMs: number(vitals.lcpMs),
      fcpMs: number(vitals.fcpMs),
      cls: number(vitals.cls),
      ttfbMs: number(navigation && navigation.responseStart),
    });
  };
  setTimeout(answer, 500);
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(answer, 0)));
})`;

/** Returns the length of a document's text for a reader, with white space counted once. */
const TEXT_LENGTH = `(root) => {
  const copy = root.cloneNode(true);
  for (const element of copy.querySelectorAll("script,style,template,SKIP")) element.remove();
  return copy.textContent.replace(/\\s+/g, " ").trim().length;
}`;

/**
 * Returns a script for the text lengths of a page, as a pair: of its HTML without running it, where the text for
 * browsers without scripts counts, and of the page as it is now.
 */
export function textLengths(html: string): string {
  const raw = `(${TEXT_LENGTH.replace(",SKIP", "")})(new DOMParser().parseFromString(${JSON.stringify(html)}, "text/html").body)`;
  const rendered = `(${TEXT_LENGTH.replace("SKIP", "noscript")})(document.body)`;
  return `[${raw}, ${rendered}]`;
}
