/** The requests of a run of several steps: one below the other on one scale of time, and each with what it was answered. */
import type { resultRoutes } from "@svc/contract";
import { Fragment } from "react";
import type { Answer } from "../../api/request.ts";
import { phaseText } from "../../evidence/phases.ts";
import { resultStates } from "../../status/words.ts";
import { Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];
type StepRequest = NonNullable<Shown["stepRequestsJson"]>[number];

/** Shows the part that the result has. */
export function MultistepParts({
  result: { stepRequestsJson },
}: {
  result: Pick<Shown, "stepRequestsJson">;
}) {
  if (!stepRequestsJson) return null;
  return (
    <Panel title="Requests of the steps">
      <Waterfall requests={stepRequestsJson} />
      <Table
        name="Requests of the steps"
        rows={stepRequestsJson}
        keyOf={({ name }) => name}
        columns={[
          { title: "Step", cell: ({ name }) => <Text>{name}</Text> },
          {
            title: "Status",
            cell: ({ status }) =>
              status === "skipped" ? (
                <span className="quiet">skipped</span>
              ) : (
                <State state={resultStates[status]} />
              ),
          },
          { title: "Request", cell: ({ method, url }) => <Text>{`${method} ${url}`}</Text> },
          { title: "Answer", cell: ({ httpStatusCode }) => String(httpStatusCode ?? "none") },
          { title: "Assertions", cell: ({ assertions }) => assertionsText(assertions) },
          { title: "Values", cell: ({ values }) => <Text>{valuesText(values)}</Text> },
        ]}
      />
    </Panel>
  );
}

function Waterfall({ requests }: { requests: readonly StepRequest[] }) {
  let beginMs = 0;
  const bars = requests.map(({ name, timing }) => {
    const bar = { name, beginMs, ms: timing?.totalMs };
    beginMs += timing?.totalMs ?? 0;
    return bar;
  });
  const scaleMs = Math.max(1, beginMs);
  return (
    <figure aria-label="Time of the steps">
      <dl className="waterfall">
        {bars.map(({ name, beginMs: atMs, ms }) => (
          <Fragment key={name}>
            <dt>
              <Text>{name}</Text>
            </dt>
            <dd>
              <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
                {ms !== undefined && (
                  <rect
                    className="spent"
                    x={(atMs / scaleMs) * 100}
                    y={2}
                    width={Math.max(0.4, (ms / scaleMs) * 100)}
                    height={6}
                  />
                )}
              </svg>
              <span>{ms === undefined ? "nothing was sent" : phaseText(ms)}</span>
            </dd>
          </Fragment>
        ))}
      </dl>
    </figure>
  );
}

function assertionsText(assertions: StepRequest["assertions"]): string {
  if (!assertions) return "";
  const holding = assertions.filter(({ passed }) => passed).length;
  return `${holding} of ${assertions.length} hold`;
}

function valuesText(values: StepRequest["values"]): string {
  return (values ?? [])
    .map(({ name, value, isMasked }) => `${name}: ${isMasked ? "hidden" : value}`)
    .join(", ");
}
