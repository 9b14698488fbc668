/** The team's OpenTelemetry export: where it goes, how it is going, and a test. */
import { type ExportStatus, pagePath, type telemetryRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { telemetryQuery } from "../../api/queries/service.ts";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import type { StateWord } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { durationText, numberText } from "../../time/format.ts";
import { Action } from "../../ui/action.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

const SECOND_MS = 1_000;

const STATES: Readonly<Record<ExportStatus["state"], StateWord>> = {
  waiting: { word: "Waiting", mark: "unknown" },
  exporting: { word: "Exporting", mark: "good" },
  failing: { word: "Failing", mark: "failing" },
};

/** Shows the export. */
export default function Telemetry() {
  const telemetry = useQuery(telemetryQuery);
  const mayChange = useMayChange();
  return (
    <Page
      title="Telemetry"
      actions={
        mayChange && (
          <Link href={pagePath("editTelemetry", {})} className="button">
            Set up
          </Link>
        )
      }
    >
      <Loaded query={telemetry}>
        {({ endpoint, protocol, headers, enabled, traces, metrics, status }) =>
          endpoint === null ? (
            <Empty>
              <p>
                Results and alerts can go to an OpenTelemetry collector as logs, traces and metrics. Set it
                up:
              </p>
              <pre>{`npx svc api /api/telemetry -X PUT -d '{"endpoint": "https://collector.example.com"}'`}</pre>
            </Empty>
          ) : (
            <>
              <Panel title="Endpoint">
                <p className="facts">
                  <code>
                    <Text>{endpoint}</Text>
                  </code>
                  <span>{protocol}</span>
                  <span>{enabled ? "Enabled" : "Switched off"}</span>
                  <span>{["logs", traces && "traces", metrics && "metrics"].filter(Boolean).join(", ")}</span>
                </p>
                {Object.keys(headers).length > 0 && (
                  <p>
                    <Text>{`Headers, their values hidden: ${Object.keys(headers).join(", ")}`}</Text>
                  </p>
                )}
                {mayChange && <TestExport />}
              </Panel>
              <Panel title="Signals">
                {status.length === 0 ? (
                  <Empty>Nothing was exported yet.</Empty>
                ) : (
                  <Table
                    name="Signals"
                    rows={status}
                    keyOf={({ signal }) => signal}
                    columns={[
                      { title: "Signal", cell: ({ signal }) => signal },
                      { title: "State", cell: ({ state }) => <State state={STATES[state]} /> },
                      { title: "Behind", cell: ({ lagSeconds }) => durationText(lagSeconds * SECOND_MS) },
                      { title: "Exported", cell: ({ exportedRecords }) => numberText(exportedRecords) },
                      { title: "Rejected", cell: ({ rejectedRecords }) => numberText(rejectedRecords) },
                      { title: "Dropped", cell: ({ droppedRecords }) => numberText(droppedRecords) },
                      {
                        title: "Last success",
                        cell: ({ lastSuccessAt }) =>
                          lastSuccessAt === null ? "never" : <Ago at={lastSuccessAt} />,
                      },
                      { title: "Last error", cell: ({ lastError }) => <Text>{lastError ?? ""}</Text> },
                    ]}
                  />
                )}
              </Panel>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function TestExport() {
  const [outcome, setOutcome] = useState<string>();
  const test = async () => {
    setOutcome(undefined);
    const { ok, message, durationMs } = await request<typeof telemetryRoutes.test>(
      "POST",
      "/api/telemetry/test",
    );
    setOutcome(`${ok ? "Delivered" : "Failed"} in ${durationText(durationMs)}: ${message}`);
  };
  return (
    <>
      <Action label="Send a test" isQuiet act={test} />
      {outcome !== undefined && (
        <span role="status">
          <Text>{outcome}</Text>
        </span>
      )}
    </>
  );
}
