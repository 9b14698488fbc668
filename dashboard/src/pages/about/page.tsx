/** What the service says of itself: version, limits, retention, and what is set up. */
import type { ServiceMeta } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { metaQuery } from "../../api/queries/service.ts";
import { numberText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";

const RETENTION: Readonly<Record<keyof ServiceMeta["retention"], [what: string, unit: string]>> = {
  resultsDays: ["Results with their evidence", "days"],
  rollupMonths: ["Availability and response times", "months"],
  alertsDays: ["Alerts that ended", "days"],
  incidentsDays: ["Incidents that ended", "days"],
  historyDays: ["Deployments, past maintenance, the change log", "days"],
  auditMonths: ["The audit log", "months"],
};

const CONFIGURED: Readonly<Record<keyof ServiceMeta["configured"], string>> = {
  mail: "Email channels can deliver",
  analysisModel: "Analyses ask a language model",
  generation: "Checks can be generated from a description",
  billing: "Billing",
  identityProvider: "People sign in through an identity provider",
};

/** Shows the service. */
export default function About() {
  const meta = useQuery(metaQuery);
  return (
    <Page title="About">
      <Loaded query={meta}>
        {({ version, plan, caps, retention, configured }) => (
          <>
            <p className="facts">
              <span>svc {version}</span>
              <span>plan {plan.name}</span>
              <span>a check runs every {plan.minFrequencySeconds} s at most</span>
            </p>
            <Panel title="Set up by the operator">
              <Table
                name="Set up by the operator"
                rows={entriesOf(CONFIGURED)}
                keyOf={([name]) => name}
                columns={[
                  { title: "What", cell: ([, words]) => words },
                  { title: "Set up", cell: ([name]) => (configured[name] ? "yes" : "no") },
                ]}
              />
            </Panel>
            <Panel title="Kept for">
              <Table
                name="Kept for"
                rows={entriesOf(RETENTION)}
                keyOf={([name]) => name}
                columns={[
                  { title: "What", cell: ([, [what]]) => what },
                  { title: "Time", cell: ([name, [, unit]]) => `${numberText(retention[name])} ${unit}` },
                ]}
              />
            </Panel>
            <Panel title="Limits of the team">
              <Table
                name="Limits of the team"
                rows={caps}
                keyOf={({ name }) => name}
                columns={[
                  { title: "Limit", cell: ({ name }) => <code>{name}</code> },
                  { title: "Used", cell: ({ used }) => (used === null ? "not counted" : numberText(used)) },
                  { title: "Most", cell: ({ max, unit }) => `${numberText(max)} ${unit}` },
                ]}
              />
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function entriesOf<Name extends string, Value>(record: Readonly<Record<Name, Value>>): [Name, Value][] {
  return Object.entries(record) as [Name, Value][];
}
