/**
 * The sources of the feed. Every feed event type has exactly one source, and a source may have several. To add one: its file
 * beside this one, one line here, and its events in the contract.
 */
import { defineFamily } from "@svc/contract";
import { alertSource } from "./alerts.ts";
import { locationSource } from "./locations.ts";
import { mcpDriftSource } from "./mcp-drift.ts";
import { resultSource } from "./results.ts";

/** All sources of the feed. */
export const feedSources = defineFamily("feed source", [
  resultSource,
  mcpDriftSource,
  alertSource,
  locationSource,
]);
