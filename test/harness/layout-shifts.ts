/** What moves on a page after it was drawn, without anybody having asked for it. */
import type { Page } from "playwright";
import { until } from "./wait.ts";

/** Time without a request after which a page has asked for everything that it shows. */
const QUIET_MS = 300;

/** Notes on every document that the page opens from now on what moves, and when its last request began or ended. */
export async function watchLayoutShifts(page: Page): Promise<void> {
  await page.addInitScript(`
    window.layoutShifts = [];
    window.requests = { open: 0, changedAtMs: performance.now() };
    const change = (by) => {
      window.requests = { open: window.requests.open + by, changedAtMs: performance.now() };
    };
    const send = window.fetch;
    window.fetch = (...parts) => {
      change(1);
      return send(...parts).finally(() => change(-1));
    };
    const textOf = (node) => ((node?.nodeType === 1 ? node : node?.parentElement)?.outerHTML ?? "gone").slice(0, 100);
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries())
        window.layoutShifts.push({ value, moved: sources.map(({ node }) => textOf(node)) });
    }).observe({ type: "layout-shift", buffered: true });`);
}

/** Returns what moved on the document that is open, once everything on it is loaded and drawn. */
export async function layoutShifts(page: Page): Promise<unknown[]> {
  await until("everything on the page is loaded", () =>
    page.evaluate<boolean>(
      `document.querySelector("h1") !== null && document.querySelector("[aria-busy=true]") === null &&
        requests.open === 0 && performance.now() - requests.changedAtMs > ${QUIET_MS}`,
    ),
  );
  return page.evaluate<unknown[]>(
    `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 100))))
      .then(() => window.layoutShifts)`,
  );
}
