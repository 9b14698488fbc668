/** Looks for a document that announces an MCP server. */
import { defineReadinessProbe } from "./define.ts";
import { firstServedJson, judged } from "./served.ts";

/** The server card that the protocol's community proposes, and the form before it. */
const PATHS = ["/.well-known/mcp/server-card.json", "/.well-known/mcp.json"];
/** Fields that name a server or an endpoint; one of them is enough. */
const SERVER_FIELDS = ["serverInfo", "name", "servers", "endpoint", "transport", "remotes"];

/** Passes when a well-known path serves a document that names an MCP server or its endpoint. */
export const mcpDiscovery = defineReadinessProbe("mcp_discovery", (site) =>
  firstServedJson(site, PATHS, (path, card) => {
    const namesServer = SERVER_FIELDS.some((field) => field in card);
    const problems = namesServer ? [] : ["it names neither a server nor an endpoint"];
    return judged(path, `an MCP server is announced at ${path}`, problems);
  }),
);
