import { defineReadinessProbe } from "./define.ts";
import { contentSignalsOf } from "./read-content-signals.ts";

/** The signals that https://contentsignals.org defines so far. */
const KNOWN_SIGNALS = new Set(["search", "ai-input", "ai-train"]);

/** Looks for Content-Signal lines in robots.txt, which say how the content may be used once it was fetched. */
export const contentSignals = defineReadinessProbe("content_signals", async (site) => {
  const signals = await contentSignalsOf(site);
  const entries = Object.entries(signals);
  if (entries.length === 0) return { status: "missing", summary: "robots.txt states no Content-Signal" };
  const problems = entries.flatMap(([name, value]) => {
    if (!KNOWN_SIGNALS.has(name)) return [`"${name}" is not a defined signal`];
    return value === "yes" || value === "no" ? [] : [`${name} is "${value}", expected yes or no`];
  });
  if (problems.length > 0)
    return { status: "fail", summary: `Content-Signal is not valid: ${problems[0]}`, details: problems };
  return { status: "pass", summary: entries.map(([name, value]) => `${name}=${value}`).join(", ") };
});
