import { absence, defineReadinessProbe, type Finding, jsonObject, judged } from "./define.ts";

/** Where MCP servers are announced: the server card proposal of the protocol's community, and the form before it. */
const PATHS = ["/.well-known/mcp/server-card.json", "/.well-known/mcp.json"];

export const mcpDiscovery = defineReadinessProbe("mcp_discovery", async (site) => {
  let finding: Finding | undefined;
  for (const path of PATHS) {
    const document = await site.fetch(path, "application/json");
    const absent = absence(path, document);
    if (!absent && document.kind === "served") {
      const card = jsonObject(document);
      const problems: string[] = [];
      if (!card) problems.push("it is not a JSON object");
      else if (
        !["serverInfo", "name", "servers", "endpoint", "transport", "remotes"].some((key) => key in card)
      )
        problems.push("it names neither a server nor an endpoint");
      return judged(path, `an MCP server is announced at ${path}`, problems);
    }
    if (absent && (!finding || absent.status === "fail")) finding = absent;
  }
  return finding as Finding;
});
