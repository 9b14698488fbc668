/** A published plan: what a deploy would change, for whoever reviews it. */
import type { deployPlanRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { deployPlanQuery } from "../../api/queries/deploys.ts";
import type { Answer } from "../../api/request.ts";
import { ChangedFields, RECORDS } from "../../shell/change-list.tsx";
import { isNotFound } from "../../shell/not-found.tsx";
import { Ago } from "../../time/ago.tsx";
import { countText, instantText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import { PlanCapacity } from "./capacity.tsx";
import { deedsOf } from "./deeds.ts";

type Plan = Answer<typeof deployPlanRoutes.get>["plan"];
type Change = Plan["changes"][number];

const DEEDS: Readonly<Record<Change["type"], string>> = {
  create: "Create",
  update: "Update",
  delete: "Delete",
};
const DRIFT: Readonly<Record<NonNullable<Change["drift"]>, string>> = {
  drift: "changed on the service since the last deploy",
  conflict: "changed in the config and on the service since the last deploy",
};

/** Shows the plan that the address names. */
export default function DeployPlan() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery(deployPlanQuery(id));
  if (isNotFound(query.error))
    return (
      <Page title="Deploy plan">
        <p>
          This plan has expired, or belongs to another team. <code>npx svc diff --publish</code> publishes it
          anew.
        </p>
      </Page>
    );
  return (
    <Loaded query={query}>
      {({ plan }) => (
        <Page title={`Plan of ${plan.project}`}>
          <p className="lead">{deedsOf(plan.summary)}</p>
          <Origin plan={plan} />
          {plan.changes.some(({ drift }) => drift !== undefined) && (
            <p className="problem">
              Somebody has changed {countText(plan.changes.filter(({ drift }) => drift).length, "resource")}{" "}
              on the service since the last deploy: <code>svc deploy</code> stops there, until the config has
              those changes (<code>svc pull</code>), or is to replace them (<code>--force</code>).
            </p>
          )}
          <Panel title="Changes">
            {plan.changes.length === 0 ? (
              <Empty>Nothing would change.</Empty>
            ) : (
              <Table
                name="Changes"
                rows={plan.changes.map((change, at) => ({ ...change, at }))}
                keyOf={({ at }) => String(at)}
                columns={[
                  { title: "What", cell: ({ type }) => DEEDS[type] },
                  { title: "Resource", cell: (change) => <Resource change={change} /> },
                  { title: "Fields", cell: ({ fieldChanges }) => <ChangedFields fields={fieldChanges} /> },
                ]}
              />
            )}
          </Panel>
          {plan.capacity !== undefined && (
            <Panel title="Capacity">
              <PlanCapacity steps={plan.capacity} />
            </Panel>
          )}
          {(plan.prunable ?? []).length > 0 && (
            <Panel title="Not in the config">
              <p>
                <code>svc deploy --prune</code> would delete these, too.
              </p>
              <ul className="plain" aria-label="Not in the config">
                {(plan.prunable ?? []).map(({ kind, name }) => (
                  <li key={`${kind} ${name}`}>
                    {RECORDS[kind]} <Text>{name}</Text>
                  </li>
                ))}
              </ul>
            </Panel>
          )}
        </Page>
      )}
    </Loaded>
  );
}

/** Says by whom it was published, and from which run of a pipeline. */
function Origin({ plan: { author, createdAt, expiresAt, ci } }: { plan: Plan }) {
  const isLink = ci?.url != null && /^https?:\/\//.test(ci.url);
  return (
    <p className="quiet">
      Published <Ago at={createdAt} />
      {author !== null && (
        <>
          {" by "}
          <Text>{author}</Text>
        </>
      )}
      {ci?.commit != null && (
        <>
          {", commit "}
          <code>
            <Text>{ci.commit.slice(0, 12)}</Text>
          </code>
        </>
      )}
      {ci?.branch != null && (
        <>
          {" of "}
          <Text>{ci.branch}</Text>
        </>
      )}
      {ci?.author != null && (
        <>
          {" by "}
          <Text>{ci.author}</Text>
        </>
      )}
      {isLink && (
        <>
          {", "}
          <a href={ci.url as string} target="_blank" rel="noreferrer noopener">
            its pipeline
          </a>
        </>
      )}
      . To be seen until {instantText(expiresAt)}.
    </p>
  );
}

/** Monitors of an alert policy that are named; the others are counted. */
const MONITORS_NAMED_MAX = 5;

function Resource({ change: { kind, name, remoteId, drift, holdsFor } }: { change: Change }) {
  return (
    <>
      {RECORDS[kind]}{" "}
      {kind === "check" && remoteId !== null ? (
        <PageLink page="check" parameters={{ id: remoteId }}>
          <Text>{name}</Text>
        </PageLink>
      ) : (
        <Text>{name}</Text>
      )}
      {drift && <p className="refusal">{DRIFT[drift]}</p>}
      {holdsFor && (
        <p className="quiet">
          Holds for {countText(holdsFor.count, "check")}
          {holdsFor.count > 0 && ": "}
          <Text>{holdsFor.monitors.slice(0, MONITORS_NAMED_MAX).join(", ")}</Text>
          {holdsFor.count > MONITORS_NAMED_MAX && ` and ${holdsFor.count - MONITORS_NAMED_MAX} more`}
        </p>
      )}
    </>
  );
}
