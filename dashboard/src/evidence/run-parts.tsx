/** What a browser run recorded: the page's vitals, its steps, the page's requests, and its console. */
import type { resultRoutes } from "@svc/contract";
import type { Answer } from "../api/request.ts";
import { resultStates } from "../status/words.ts";
import { durationText, numberText, timeText } from "../time/format.ts";
import { Panel } from "../ui/panel.tsx";
import { State } from "../ui/state.tsx";
import { Table } from "../ui/table.tsx";
import { Text } from "../ui/text.tsx";
import { VitalFigures } from "./web-vitals.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Lines that a table shows; more are counted. */
const SHOWN_MAX = 200;

/** Shows what there is. */
export function RunParts({
  result,
}: {
  result: Pick<Shown, "steps" | "networkRequestsJson" | "consoleLogsJson" | "webVitals">;
}) {
  const { steps, networkRequestsJson: requests, consoleLogsJson: lines, webVitals } = result;
  return (
    <>
      {webVitals && (
        <Panel title="Web vitals">
          <VitalFigures vitals={webVitals} />
        </Panel>
      )}
      {steps && steps.length > 0 && (
        <Panel title="Steps">
          <Table
            name="Steps"
            rows={numbered(steps)}
            keyOf={({ at }) => String(at)}
            columns={[
              { title: "Step", cell: ({ name }) => <Text>{name}</Text> },
              { title: "Status", cell: ({ status }) => <State state={resultStates[status]} /> },
              { title: "Took", cell: ({ durationMs }) => durationText(durationMs) },
              { title: "Error", cell: ({ errorMessage }) => <Text>{errorMessage ?? ""}</Text> },
            ]}
          />
        </Panel>
      )}
      {requests && requests.length > 0 && (
        <Panel title="Requests of the page">
          <Table
            name="Requests of the page"
            rows={numbered(requests)}
            keyOf={({ at }) => String(at)}
            columns={[
              { title: "URL", cell: ({ method, url }) => <Text>{`${method} ${url}`}</Text> },
              { title: "Type", cell: ({ resourceType }) => <Text>{resourceType}</Text> },
              {
                title: "Answer",
                cell: ({ httpStatusCode, errorText }) => (
                  <Text>{errorText ?? String(httpStatusCode ?? "none")}</Text>
                ),
              },
              {
                title: "Took",
                cell: ({ durationMs }) => (durationMs === null ? "did not end" : durationText(durationMs)),
              },
              {
                title: "Bytes",
                cell: ({ responseBytes }) => (responseBytes === null ? "" : numberText(responseBytes)),
              },
            ]}
          />
          {requests.length > SHOWN_MAX && <p className="quiet">and {requests.length - SHOWN_MAX} more</p>}
        </Panel>
      )}
      {lines && lines.length > 0 && (
        <Panel title="Console">
          <Table
            name="Console"
            rows={numbered(lines)}
            keyOf={({ at }) => String(at)}
            columns={[
              { title: "Time", cell: (line) => timeText(Date.parse(line.time)) },
              { title: "Type", cell: ({ type }) => <Text>{type}</Text> },
              { title: "Text", cell: ({ text }) => <Text>{text}</Text> },
            ]}
          />
        </Panel>
      )}
    </>
  );
}

/** Returns the first entries with their places, and the instant of a line of the console under a name of its own. */
function numbered<Entry extends object>(entries: readonly Entry[]): (Entry & { at: number; time: string })[] {
  return entries
    .slice(0, SHOWN_MAX)
    .map((entry, at) => ({ ...entry, time: "at" in entry ? String(entry.at) : "", at }));
}
