/** The hours that spent most of an error budget. */
import { pagePath } from "@svc/contract";
import { Link } from "wouter";
import type { SloSeries } from "../../api/queries/slos.ts";
import { instantText, percentText } from "../../time/format.ts";
import { Empty } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";

/** Shows the hours, the worst first, each with a link to the check at that time. @param props.checkId null: an SLO of no check */
export function Consumers({
  consumers,
  checkId,
}: {
  consumers: SloSeries["consumers"];
  checkId: string | null;
}) {
  if (consumers.length === 0) return <Empty>Nothing was spent in this window.</Empty>;
  const most = consumers[0]?.budgetShare ?? 1;
  return (
    <Table
      name="Hours that spent most"
      rows={consumers}
      keyOf={({ from }) => from}
      columns={[
        {
          title: "Hour from",
          cell: ({ from, to }) =>
            checkId === null ? (
              <time dateTime={from}>{instantText(from)}</time>
            ) : (
              <Link href={`${pagePath("check", { id: checkId })}?${new URLSearchParams({ from, to })}`}>
                <time dateTime={from}>{instantText(from)}</time>
              </Link>
            ),
        },
        { title: "Bad results", cell: ({ bad, total }) => `${bad} of ${total}` },
        {
          title: "Of the budget",
          cell: ({ budgetShare }) => (
            <span className="nowrap">
              <svg aria-hidden="true" className="share-bar" viewBox="0 0 100 8" preserveAspectRatio="none">
                <rect width={(budgetShare / most) * 100} height="8" />
              </svg>
              {percentText(budgetShare)}
            </span>
          ),
        },
      ]}
    />
  );
}
