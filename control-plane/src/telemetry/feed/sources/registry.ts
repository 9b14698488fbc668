/** The sources of the feed. Every feed event type has exactly one source. */
import { alertSource } from "./alerts.ts";
import type { FeedSource } from "./feed-source.ts";
import { mcpDriftSource } from "./mcp-drift.ts";
import { resultSource } from "./results.ts";

export const feedSources: readonly FeedSource[] = [resultSource, mcpDriftSource, alertSource];
