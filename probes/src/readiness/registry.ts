/** The readiness probes. To add one: its file beside this one, its line in the list below, its id in the contract. */
import { defineFamily } from "@svc/contract";
import { agentCard } from "./agent-card.ts";
import { apiCatalog } from "./api-catalog.ts";
import { contentSignals } from "./content-signals.ts";
import { llmsTxt } from "./llms-txt.ts";
import { markdownNegotiation } from "./markdown-negotiation.ts";
import { mcpDiscovery } from "./mcp-discovery.ts";
import { robotsTxt } from "./robots-txt.ts";
import { securityTxt } from "./security-txt.ts";
import { sitemap } from "./sitemap.ts";
import { structuredData } from "./structured-data.ts";

/** Every readiness probe, in the order of the report. */
export const readinessProbes = defineFamily("readiness probe", [
  robotsTxt,
  llmsTxt,
  sitemap,
  structuredData,
  markdownNegotiation,
  apiCatalog,
  mcpDiscovery,
  agentCard,
  securityTxt,
  contentSignals,
]);
