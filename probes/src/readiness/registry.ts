import { agentCard } from "./agent-card.ts";
import { apiCatalog } from "./api-catalog.ts";
import { contentSignals } from "./content-signals.ts";
import type { ReadinessProbe } from "./define.ts";
import { llmsTxt } from "./llms-txt.ts";
import { markdownNegotiation } from "./markdown-negotiation.ts";
import { mcpDiscovery } from "./mcp-discovery.ts";
import { robotsTxt } from "./robots-txt.ts";
import { securityTxt } from "./security-txt.ts";
import { sitemap } from "./sitemap.ts";
import { structuredData } from "./structured-data.ts";

/** Every readiness probe, in the order of the report. */
export const READINESS_PROBES: readonly ReadinessProbe[] = [
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
];
