/** The runners of a private location with their load. */
import { useQuery } from "@tanstack/react-query";
import { runnersOfLocationQuery } from "../../api/queries/locations.ts";
import { runnerStates } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { durationText, numberText } from "../../time/format.ts";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Basis points in one percent. */
const PERCENT_BASIS_POINTS = 100;

/** Shows the runners, those that are lost with their last heartbeat. */
export function Runners({ locationId }: { locationId: string }) {
  const runners = useQuery(runnersOfLocationQuery(locationId));
  return (
    <Loaded query={runners}>
      {({ runners: rows }) =>
        rows.length === 0 ? (
          <Empty>No runner has connected yet. Until one does, the slots of checks here are missing.</Empty>
        ) : (
          <Table
            name="Runners"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: "Host", cell: ({ hostname }) => <Text>{hostname}</Text> },
              {
                title: "State",
                cell: ({ status, accepting }) => (
                  <>
                    <State state={runnerStates[status]} />
                    {status === "online" && !accepting && (
                      <span className="quiet"> accepts no more checks</span>
                    )}
                  </>
                ),
              },
              { title: "Checks", cell: ({ assignedChecks }) => numberText(assignedChecks) },
              { title: "Running", cell: ({ activeRuns }) => numberText(activeRuns) },
              {
                title: "Busy",
                cell: ({ loopBusyBasisPoints }) =>
                  `${Math.round(loopBusyBasisPoints / PERCENT_BASIS_POINTS)} %`,
              },
              { title: "Lateness p99", cell: ({ latenessP99Ms }) => durationText(latenessP99Ms) },
              { title: "Unsent", cell: ({ backlog }) => numberText(backlog) },
              { title: "Dropped", cell: ({ droppedResults }) => numberText(droppedResults) },
              { title: "Version", cell: ({ version }) => <Text>{version}</Text> },
              { title: "Can run", cell: ({ capabilities }) => <Text>{capabilities.join(", ")}</Text> },
              {
                title: "Last heartbeat",
                cell: ({ lastHeartbeat }) => (lastHeartbeat === null ? "none" : <Ago at={lastHeartbeat} />),
              },
            ]}
          />
        )
      }
    </Loaded>
  );
}
