/** The list of SLOs: which of them are kept, and what is left of their error budgets. */

import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { type Slo, type SloStatus, slosQuery } from "../../api/queries/slos.ts";
import { useMayChange } from "../../shell/session.tsx";
import { budgetLeft, goodShare, sloStateOf } from "../../status/slo-state.ts";
import { percentText } from "../../time/format.ts";
import { Exact } from "../../ui/figure-value.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

interface Row {
  slo: Slo;
  status: SloStatus | undefined;
}

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Name",
    cell: ({ slo: { id, name } }) => (
      <PageLink page="slo" parameters={{ id }}>
        <Text>{name}</Text>
      </PageLink>
    ),
  },
  { title: "State", cell: ({ slo, status }) => <State state={sloStateOf(slo.enabled, status)} /> },
  {
    title: "Check",
    cell: ({ slo: { checkId, checkName } }) =>
      checkId === null ? (
        "a third party"
      ) : (
        <PageLink page="check" parameters={{ id: checkId }}>
          <Text>{checkName ?? checkId}</Text>
        </PageLink>
      ),
  },
  {
    title: "Target",
    cell: ({ slo: { targetBasisPoints, windowDays } }) => (
      <span className="nowrap">
        {percentText(targetBasisPoints / 10_000)} <span className="quiet">over {windowDays} d</span>
      </span>
    ),
  },
  {
    title: "Availability",
    cell: ({ status }) => ofResults(status, (known) => percentText(goodShare(known))),
  },
  {
    title: "Error budget left",
    cell: ({ status }) =>
      ofResults(status, (known) => (
        <Meter label="Error budget left" share={budgetLeft(known)}>
          {percentText(budgetLeft(known))}{" "}
          <span className="quiet">
            <Exact value={known.errorBudgetRemaining} digits={1} unit="min" />
          </span>
        </Meter>
      )),
  },
  {
    title: "Burn 1 h",
    cell: ({ status }) => ofResults(status, (known) => <Exact value={known.burnRate1h} />),
  },
  {
    title: "Burn 6 h",
    cell: ({ status }) => ofResults(status, (known) => <Exact value={known.burnRate6h} />),
  },
  {
    title: "Burn 24 h",
    cell: ({ status }) => ofResults(status, (known) => <Exact value={known.burnRate24h} />),
  },
];

/** Shows the SLOs. */
export default function Slos() {
  const slos = useQuery(slosQuery);
  const mayChange = useMayChange();
  return (
    <Page
      title="SLOs"
      actions={
        mayChange && (
          <Link href={pagePath("newSlo", {})} className="button">
            New SLO
          </Link>
        )
      }
    >
      <Loaded query={slos}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty>
              <p>
                An SLO says what share of a check's results has to be good, and warns before too many are not.
              </p>
              <pre>npx svc slos create --help</pre>
            </Empty>
          ) : (
            <Table name="SLOs" rows={rows} keyOf={({ slo }) => slo.id} columns={COLUMNS} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Shows a figure where there are results to count. */
function ofResults(status: SloStatus | undefined, show: (known: SloStatus) => ReactNode) {
  if (status && status.totalCount > 0) return show(status);
  return <span className="quiet">none</span>;
}
