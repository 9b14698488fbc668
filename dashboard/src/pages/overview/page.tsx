/** The overview: whether anything is wrong, since when, whether somebody is on it, and whether the picture is complete. */
import { useQuery } from "@tanstack/react-query";
import { type OverviewAnswer, overviewQuery } from "../../api/queries/overview.ts";
import { headlineOf } from "../../status/headline.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { Attention } from "./attention.tsx";
import { FailingNow } from "./failing-now.tsx";
import { FirstSteps, Welcome } from "./first-steps.tsx";
import { Latest } from "./latest.tsx";
import { OpenIncidents } from "./open-incidents.tsx";
import { Tiles } from "./tiles.tsx";
import "./overview.css";

/** Shows the overview, all of it from one answer. */
export function Overview() {
  const overview = useQuery(overviewQuery);
  return (
    <Page
      title={overview.data ? headlineOf(overview.data.checks) : "Overview"}
      actions={
        <PageLink page="wall" parameters={{}}>
          Wall
        </PageLink>
      }
    >
      <Loaded query={overview}>
        {(data) => (data.checks.total === 0 ? <Welcome setUp={data.setUp} /> : <Standing overview={data} />)}
      </Loaded>
    </Page>
  );
}

function Standing({ overview }: { overview: OverviewAnswer }) {
  return (
    <>
      <OpenIncidents incidents={overview.openIncidents} count={overview.openIncidentCount} />
      <FailingNow failing={overview.failing} count={overview.checks.unhealthy} />
      <Tiles overview={overview} />
      <div className="two-columns">
        <Attention attention={overview.attention} />
        <Latest latest={overview.latest} />
      </div>
      <FirstSteps setUp={overview.setUp} />
    </>
  );
}
