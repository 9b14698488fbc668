/** The checks that fail now, the gravest and longest first, each with what its newest failure says. */
import type { checkRoutes } from "@svc/contract";
import { pagePath } from "@svc/contract";
import { Link } from "wouter";
import type { OverviewAnswer } from "../../api/queries/overview.ts";
import { request } from "../../api/request.ts";
import { useMayChange } from "../../shell/session.tsx";
import { checkStates, resultStates, severityWords } from "../../status/words.ts";
import { Since } from "../../time/ago.tsx";
import { Action } from "../../ui/action.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Strip } from "../../ui/strip.tsx";
import { Text } from "../../ui/text.tsx";

type FailingCheck = OverviewAnswer["failing"][number];

/** Shows failing checks. @param props.count all that fail */
export function FailingNow({ failing, count }: { failing: readonly FailingCheck[]; count: number }) {
  return (
    <Panel title="Failing now">
      {failing.length === 0 ? (
        <Empty>Nothing is failing.</Empty>
      ) : (
        <ul className="cards">
          {failing.map((check) => (
            <Failing key={check.id} check={check} />
          ))}
        </ul>
      )}
      {count > failing.length && (
        <p className="more">
          <Link href={`${pagePath("checks", {})}?q=is%3Afailing`}>All {count} failing checks</Link>
        </p>
      )}
    </Panel>
  );
}

function Failing({ check }: { check: FailingCheck }) {
  const mayChange = useMayChange();
  const { id, name, type, severity, sinceAt, failingLocations, locationCount, resultId, status, recent } =
    check;
  return (
    <li className="overview-item">
      <div>
        <p className="card-head">
          <State state={checkStates.unhealthy} />
          <PageLink page="check" parameters={{ id }}>
            <Text>{name}</Text>
          </PageLink>
          <span className="quiet">{type}</span>
          {severity !== null && <span>{severityWords[severity]}</span>}
          <span className="quiet">
            for <Since at={sinceAt} /> at {failingLocations.length} of {locationCount}{" "}
            {locationCount === 1 ? "location" : "locations"}:{" "}
            <Text>{failingLocations.map((location) => location.name).join(", ")}</Text>
          </span>
        </p>
        <p className="overview-error">
          <PageLink page="result" parameters={{ id, resultId }}>
            {resultStates[status].word}
          </PageLink>
          : <Text>{check.errorMessage ?? "the result says no more"}</Text>
        </p>
      </div>
      <Strip results={recent.map((one) => ({ status: one }))} />
      {mayChange && (
        <Action
          label="Run now"
          isQuiet
          act={() =>
            request<typeof checkRoutes.trigger>("POST", "/api/checks/:id/trigger", { params: { id } })
          }
        />
      )}
    </li>
  );
}
