/** The report of a run of an MCP check, and the server's changes that it found. */
import type { resultRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { McpDrift } from "../../evidence/mcp-drift.tsx";
import { McpServerReport } from "../../evidence/mcp-server.tsx";
import { Panel } from "../../ui/panel.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the parts that the result has. */
export function McpParts({ result: { mcpJson, mcpSchemaDrift } }: { result: Shown }) {
  return (
    <>
      {mcpJson && (
        <Panel title="MCP report">
          <McpServerReport report={mcpJson} />
        </Panel>
      )}
      {mcpSchemaDrift && (
        <Panel title="Changes since the run before">
          <McpDrift drift={mcpSchemaDrift} />
        </Panel>
      )}
    </>
  );
}
