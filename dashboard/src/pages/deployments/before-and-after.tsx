/** What a deployment changed: the checks that alerted in the hour after, an hour before and an hour after it. */
import type { deploymentRoutes } from "@svc/contract";
import { useQueries, useQuery } from "@tanstack/react-query";
import { alertsQuery } from "../../api/queries/alerts.ts";
import { seriesQuery } from "../../api/queries/history.ts";
import type { Answer } from "../../api/request.ts";
import { durationText, instantText, numberText, percentText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import { effectOf, type SideFigures } from "./effect.ts";

type Deployment = Answer<typeof deploymentRoutes.list>["deployments"][number];
interface AffectedCheck {
  id: string;
  name: string;
}

const HOUR_MS = 60 * 60 * 1000;
/** Checks that are compared, one request each: those that alerted first. */
const CHECKS_MAX = 10;

/** Shows the comparison. */
export function BeforeAndAfter({ deployment }: { deployment: Deployment }) {
  const { service, version, createdAt } = deployment;
  const atMs = Date.parse(createdAt);
  const alerts = useQuery(alertsQuery({ from: createdAt, to: new Date(atMs + HOUR_MS).toISOString() }));
  return (
    <Panel title="Before and after">
      <p>
        <Text>{`${service} ${version}`}</Text>, {instantText(createdAt)}
      </p>
      <Loaded query={alerts}>
        {({ instances }) => {
          const checks = new Map(
            instances
              .toReversed()
              .flatMap(({ checkId, checkName }) =>
                checkId === null ? [] : [[checkId as string, checkName ?? checkId] as const],
              ),
          );
          const affected = [...checks].slice(0, CHECKS_MAX).map(([id, name]) => ({ id, name }));
          return affected.length === 0 ? (
            <Empty>No check alerted in the hour after it.</Empty>
          ) : (
            <Comparison atMs={atMs} checks={affected} hidden={checks.size - affected.length} />
          );
        }}
      </Loaded>
    </Panel>
  );
}

function Comparison({
  atMs,
  checks,
  hidden,
}: {
  atMs: number;
  checks: readonly AffectedCheck[];
  hidden: number;
}) {
  const range = { fromMs: atMs - HOUR_MS, toMs: atMs + HOUR_MS };
  const series = useQueries({ queries: checks.map(({ id }) => seriesQuery(id, range, "all")) });
  const rows = checks.map((check, index) => {
    const data = series[index]?.data;
    return { ...check, effect: data && effectOf(data, atMs) };
  });
  const column = (title: string, side: "before" | "after", cell: (figures: SideFigures) => string) => ({
    title,
    cell: ({ effect }: (typeof rows)[number]) => (effect ? cell(effect[side]) : "…"),
  });
  return (
    <>
      <Table
        name="Before and after"
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          {
            title: "Check",
            cell: ({ id, name }) => (
              <PageLink page="check" parameters={{ id }}>
                <Text>{name}</Text>
              </PageLink>
            ),
          },
          column("Failed before", "before", failedText),
          column("Failed after", "after", failedText),
          column("Median before", "before", medianText),
          column("Median after", "after", medianText),
        ]}
      />
      <p className="quiet">
        Each an hour, or as much of it as there is.
        {hidden > 0 && ` ${numberText(hidden)} further checks alerted in the hour after.`}
      </p>
    </>
  );
}

function failedText({ failedShare, results }: SideFigures): string {
  return failedShare === undefined ? "no results" : `${percentText(failedShare)} of ${numberText(results)}`;
}

function medianText({ medianMs }: SideFigures): string {
  return medianMs === undefined ? "not known" : durationText(medianMs);
}
