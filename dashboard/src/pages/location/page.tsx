/** A location: its runners, when they were connected, what runs here, which slots are missing, and its keys. */
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import { everyLocationQuery, type Location } from "../../api/queries/locations.ts";
import { NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { locationStates } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { AddRunner } from "./add-runner.tsx";
import { Capacity } from "./capacity.tsx";
import { ChecksHere } from "./checks-here.tsx";
import { RunnerKeys } from "./keys.tsx";
import { MissingSlots } from "./missing-slots.tsx";
import { PresenceFigure } from "./presence.tsx";
import { Runners } from "./runners.tsx";
import "./location.css";

/** Shows the location that the address names. */
export default function LocationPage() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery(everyLocationQuery);
  return (
    <Loaded query={query}>
      {({ locations }) => {
        const found = locations.find((one) => one.id === id);
        return found ? <LocationDetails found={found} /> : <NotFound title="Location not found" />;
      }}
    </Loaded>
  );
}

function LocationDetails({ found }: { found: Location }) {
  const { id, displayName, type } = found;
  const mayChange = useMayChange();
  const isPrivate = type === "private";
  return (
    <Page
      title={displayName}
      actions={
        isPrivate &&
        mayChange && (
          <>
            <AddRunner locationId={id} />
            <Link href={pagePath("editLocation", { id })} className="button quiet-button">
              Edit
            </Link>
          </>
        )
      }
    >
      <Facts found={found} />
      {isPrivate && (
        <>
          <Panel title="Runners">
            <Runners locationId={id} />
          </Panel>
          <Panel title="Connected over 7 days">
            <PresenceFigure locationId={id} />
          </Panel>
        </>
      )}
      <Panel title="Capacity">
        <Capacity locationId={id} />
      </Panel>
      <div className="two-columns">
        <Panel title="Checks here">
          <ChecksHere locationId={id} />
        </Panel>
        <div>
          <Panel title="Missing slots, 24 h">
            <MissingSlots locationId={id} />
          </Panel>
          {isPrivate && (
            <Panel title="Runner keys">
              <RunnerKeys locationId={id} />
            </Panel>
          )}
        </div>
      </div>
    </Page>
  );
}

function Facts({ found }: { found: Location }) {
  const { id, type, region, status, health, lastHeartbeat, outage, isGuarded } = found;
  return (
    <p className="facts">
      <State state={locationStates[health]} />
      {outage && (
        <PageLink page="incident" parameters={{ id: outage.incidentId }}>
          <strong>
            Can't reach its targets since <Ago at={outage.since} />
          </strong>
        </PageLink>
      )}
      {isGuarded === false && <span>alerts are not held back while it can't reach its targets</span>}
      <span>{type === "private" ? "private" : `hosted in ${region}; its runners are the service's own`}</span>
      {status !== "active" && <strong>{status}: new checks can't use it</strong>}
      {type === "private" && (
        <span>
          last heartbeat <span>{lastHeartbeat ? <Ago at={lastHeartbeat} /> : "never"}</span>
        </span>
      )}
      <code>{id}</code>
    </p>
  );
}
