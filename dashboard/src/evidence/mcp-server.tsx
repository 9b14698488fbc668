/** The report of a conversation with an MCP server: who answered, and how its tools did. */
import "./evidence.css";
import type { McpReport } from "@svc/contract";
import type { ReactNode } from "react";
import { resultStates } from "../status/words.ts";
import { durationText, numberText } from "../time/format.ts";
import { State } from "../ui/state.tsx";
import { Table } from "../ui/table.tsx";
import { Text } from "../ui/text.tsx";

/** Shows the report. */
export function McpServerReport({ report }: { report: McpReport }) {
  const { server, toolCount, missingTools = [], testCalls = [], unauthenticated } = report;
  const calls = testCalls.map((call, index) => ({ ...call, index }));
  return (
    <>
      <dl className="pairs">
        <Pair title="Server">
          {server ? (
            <>
              <Text>{server.title ?? server.name}</Text> <Text>{server.version}</Text>
              {server.title !== undefined && (
                <span className="quiet">
                  {" "}
                  (<Text>{server.name}</Text>)
                </span>
              )}
            </>
          ) : (
            "It did not say who it is."
          )}
        </Pair>
        {server && (
          <Pair title="Protocol">
            <Text>{server.protocolVersion}</Text>
          </Pair>
        )}
        <Pair title="Tools">{toolCount === undefined ? "could not be listed" : numberText(toolCount)}</Pair>
        {missingTools.length > 0 && (
          <Pair title="Expected tools that are missing">
            <Text>{missingTools.join(", ")}</Text>
          </Pair>
        )}
        {unauthenticated && (
          <Pair title="Without credentials">
            <State state={resultStates[unauthenticated.passed ? "success" : "failure"]} /> HTTP{" "}
            {unauthenticated.httpStatusCode}
          </Pair>
        )}
      </dl>
      {calls.length > 0 && (
        <Table
          name="Calls of tools"
          rows={calls}
          keyOf={({ index }) => String(index)}
          columns={[
            { title: "Tool", cell: ({ toolName }) => <Text>{toolName}</Text> },
            {
              title: "Outcome",
              cell: ({ passed }) => <State state={resultStates[passed ? "success" : "failure"]} />,
            },
            { title: "Took", cell: ({ durationMs }) => durationText(durationMs) },
            { title: "Output", cell: (call) => <Text>{call.message ?? call.outputPreview}</Text> },
            {
              title: "Length",
              cell: ({ outputCharacters }) =>
                outputCharacters === undefined ? "" : `${numberText(outputCharacters)} characters`,
            },
          ]}
        />
      )}
    </>
  );
}

function Pair({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
