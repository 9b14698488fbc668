/** Measures the final page of a run and the phases of its main document. */
import type { WebVitals } from "@svc/contract";
import type { Page, Request } from "playwright";
import { READ_VITALS } from "./page-scripts.ts";
import { round } from "./recording.ts";

/** Resolves with the web vitals that the page has seen so far. */
export async function readVitals(page: Page): Promise<WebVitals> {
  return roundAll((await page.evaluate(READ_VITALS)) as WebVitals);
}

function roundAll(vitals: WebVitals): WebVitals {
  const known = Object.entries(vitals).filter(([, value]) => typeof value === "number");
  return Object.fromEntries(known.map(([name, value]) => [name, round(value as number)]));
}

/** The phases of a request, ms; null for those that did not happen. */
export interface RequestPhases {
  tlsHandshakeMs: number | null;
  ttfbMs: number | null;
  contentTransferMs: number | null;
}

/** Returns the phases by Playwright's timing of a request. */
export function phasesOf(request: Request | undefined): RequestPhases {
  const timing = request?.timing();
  return {
    tlsHandshakeMs: span(timing?.secureConnectionStart, timing?.connectEnd),
    ttfbMs: span(timing?.requestStart, timing?.responseStart),
    contentTransferMs: span(timing?.responseStart, timing?.responseEnd),
  };
}

/** Returns the time between two instants of Playwright's timing, where -1 means that one did not happen. */
function span(from: number | undefined, to: number | undefined): number | null {
  return from === undefined || to === undefined || from < 0 || to < from ? null : round(to - from);
}
