/** Changes of an MCP server from the run before. */
import "./evidence.css";
import type { McpSchemaDriftFacts } from "@svc/contract";
import { Table } from "../ui/table.tsx";
import { Text } from "../ui/text.tsx";

/** Changed fields that are listed; more are counted. */
const SHOWN_MAX = 100;
/** Names of one kind of change that are listed; more are counted. */
const NAMES_MAX = 50;

/** The kinds of changes, in the order in which they are shown. */
const KINDS = [
  ["added", "Tools added"],
  ["removed", "Tools removed"],
  ["modified", "Tools modified"],
  ["escalated", "Tools that may do more than before"],
  ["server", "Changed of the server itself"],
] as const;

/** Shows the changes. */
export function McpDrift({ drift }: { drift: Partial<McpSchemaDriftFacts> }) {
  const changes = (drift.changes ?? []).slice(0, SHOWN_MAX).map((change, index) => ({ ...change, index }));
  const beyond = (drift.changes?.length ?? 0) - changes.length;
  return (
    <>
      <dl className="pairs">
        {KINDS.map(([kind, title]) => {
          const names = drift[kind] ?? [];
          return (
            names.length > 0 && (
              <div key={kind}>
                <dt>{title}</dt>
                <dd>
                  <Text>{names.slice(0, NAMES_MAX).join(", ")}</Text>
                  {names.length > NAMES_MAX && ` and ${names.length - NAMES_MAX} more`}
                </dd>
              </div>
            )
          );
        })}
      </dl>
      {changes.length > 0 && (
        <Table
          name="Before and after"
          rows={changes}
          keyOf={({ index }) => String(index)}
          columns={[
            { title: "Tool", cell: ({ tool }) => (tool === null ? "The server" : <Text>{tool}</Text>) },
            { title: "Field", cell: ({ field }) => <Text>{field}</Text> },
            { title: "Before", cell: ({ before }) => <Text>{before}</Text> },
            { title: "After", cell: ({ after }) => <Text>{after}</Text> },
          ]}
        />
      )}
      {beyond > 0 && <p className="quiet">and {beyond} more</p>}
    </>
  );
}
