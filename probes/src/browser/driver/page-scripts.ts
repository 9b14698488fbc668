/** What runs inside the page, as text: it is no TypeScript of this process, and it must not depend on what a bundler makes of it. */

/** Notes the web vitals as they come; runs before the page's own scripts. */
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

/** The vitals so far. Two frames later, so that what was painted last has been seen; at most half a second. */
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

/** How much text a document has for someone who reads it, white space counted once. */
const TEXT_LENGTH = `(root) => {
  const copy = root.cloneNode(true);
  for (const element of copy.querySelectorAll("script,style,template,SKIP")) element.remove();
  return copy.textContent.replace(/\\s+/g, " ").trim().length;
}`;

/**
 * Characters of text, as a pair: in HTML without running it, where what it says to those without scripts counts, and in the page
 * as it is now.
 */
export function textLengths(html: string): string {
  const raw = `(${TEXT_LENGTH.replace(",SKIP", "")})(new DOMParser().parseFromString(${JSON.stringify(html)}, "text/html").body)`;
  const rendered = `(${TEXT_LENGTH.replace("SKIP", "noscript")})(document.body)`;
  return `[${raw}, ${rendered}]`;
}
