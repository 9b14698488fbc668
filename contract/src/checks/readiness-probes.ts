/**
 * The agent readiness probes: each looks for one thing that a site can offer to AI agents. To add one: one entry here, and
 * the file of that name in the probes package.
 */
import { defineFamily } from "../base/family.ts";

/** The agent-readiness probes, in the order in which they are documented. */
export const readinessProbeTypes = defineFamily("readiness probe", [
  {
    type: "robots_txt",
    passesWhen: "`/robots.txt` is served, names a user agent and has no unknown lines (RFC 9309)",
  },
  { type: "llms_txt", passesWhen: "`/llms.txt` begins with `# Name` and links to something" },
  {
    type: "sitemap",
    passesWhen: "the sitemaps that robots.txt names (at most three), else `/sitemap.xml`, list locations",
  },
  { type: "structured_data", passesWhen: "the page has JSON-LD that is valid JSON, or schema.org microdata" },
  {
    type: "markdown_negotiation",
    passesWhen: "the page is answered as `text/markdown` when asked for by `Accept`",
  },
  { type: "api_catalog", passesWhen: "`/.well-known/api-catalog` is a link set (RFC 9727)" },
  {
    type: "mcp_discovery",
    passesWhen: "`/.well-known/mcp/server-card.json` or `/.well-known/mcp.json` names a server",
  },
  {
    type: "agent_card",
    passesWhen:
      "`/.well-known/agent-card.json` or `/.well-known/agent.json` has the fields an agent card needs",
  },
  {
    type: "security_txt",
    passesWhen: "`/.well-known/security.txt` has a `Contact` and one `Expires` in the future (RFC 9116)",
  },
  {
    type: "content_signals",
    passesWhen: "robots.txt states `Content-Signal` with defined signals (at most 20 are read)",
  },
]);

/** The name of a readiness probe, such as `llms_txt`. */
export type ReadinessProbeId = (typeof readinessProbeTypes)["types"][number];
