/** The list of SLOs with what is left of their error budgets. */
import { useQuery } from "@tanstack/react-query";
import { sloStatusQuery, slosQuery } from "../../api/queries/slos.ts";
import { numberText, percentText } from "../../time/format.ts";
import { Meter } from "../../ui/meter.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the SLOs. */
export default function Slos() {
  const slos = useQuery(slosQuery);
  return (
    <Page title="SLOs">
      <Loaded query={slos}>
        {({ slos: rows }) =>
          rows.length === 0 ? (
            <Empty>
              <p>An SLO says what share of results has to be good. Make one:</p>
              <pre>npx svc slos create --help</pre>
            </Empty>
          ) : (
            <Table
              name="SLOs"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { title: "Name", cell: ({ name }) => <Text>{name}</Text> },
                { title: "Check", cell: ({ checkName }) => <Text>{checkName ?? "several"}</Text> },
                { title: "Target", cell: ({ targetBasisPoints }) => percentText(targetBasisPoints / 10_000) },
                { title: "Window", cell: ({ windowDays }) => `${windowDays} days` },
                { title: "Availability, budget and burn", cell: ({ id }) => <Budget id={id} /> },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function Budget({ id }: { id: string }) {
  const status = useQuery(sloStatusQuery(id));
  return (
    <Loaded query={status}>
      {({ state }) => {
        if (state.totalCount === 0) return <span>no results yet</span>;
        const left = Math.max(0, 1 - state.budgetConsumedRatio);
        return (
          <span>
            {percentText(state.availability)} of {numberText(state.totalCount)}{" "}
            <Meter label="Error budget left" share={left} />
          </span>
        );
      }}
    </Loaded>
  );
}
