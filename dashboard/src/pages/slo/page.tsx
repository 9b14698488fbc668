/** An SLO: how it stands, how its error budget was spent, what spent it, and who is warned. */

import { pagePath, type sloRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import {
  type Slo,
  type SloSeries,
  type SloStatus,
  sloQuery,
  sloSeriesQuery,
  sloStatusQuery,
} from "../../api/queries/slos.ts";
import { request } from "../../api/request.ts";
import { CodeTabs } from "../../shell/code-tabs.tsx";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { budgetLeft, goodShare, sloStateOf } from "../../status/slo-state.ts";
import { numberText, percentText } from "../../time/format.ts";
import { DeleteButton } from "../../ui/delete-button.tsx";
import { Exact, Figures, FigureValue } from "../../ui/figure-value.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";
import { BurnDown } from "./burn-down.tsx";
import { Consumers } from "./consumers.tsx";
import { GeneratedRules } from "./generated-rules.tsx";
import { LeftOut } from "./left-out.tsx";

function Actions({ id, name }: { id: string; name: string }) {
  const params = { id };
  return (
    <>
      <Link href={pagePath("editSlo", params)} className="button quiet-button">
        Edit
      </Link>
      <DeleteButton
        what="SLO"
        name={name}
        goes="its alert rules and their open alerts go with it."
        act={() => request<typeof sloRoutes.delete>("DELETE", "/api/slos/:id", { params })}
        nextPath={pagePath("slos", {})}
      />
    </>
  );
}

/** Shows the SLO that the address names. */
export default function SloPage() {
  const { id = "" } = useParams<{ id: string }>();
  const mayChange = useMayChange();
  const query = useQuery(sloQuery(id));
  const status = useQuery(sloStatusQuery(id));
  const series = useQuery(sloSeriesQuery(id));
  if (isNotFound(query.error)) return <NotFound title="SLO not found" />;
  return (
    <Loaded query={query}>
      {({ slo }) => (
        <Page title={slo.name} actions={mayChange && <Actions id={slo.id} name={slo.name} />}>
          <Facts slo={slo} status={status.data?.state} />
          <CodeTabs name="SLO" title="Overview" kind="slo" id={slo.id}>
            <Panel title="Now">
              <Loaded query={status}>{({ state }) => <Standing slo={slo} status={state} />}</Loaded>
            </Panel>
            <Panel title="Error budget">
              <Loaded query={series}>{(loaded) => <BurnDown series={loaded as SloSeries} />}</Loaded>
            </Panel>
            <div className="two-columns">
              <Panel title="What spent it">
                <Loaded query={series}>
                  {(loaded) => <Consumers consumers={loaded.consumers} checkId={slo.checkId} />}
                </Loaded>
              </Panel>
              <div>
                <Panel title="What does not count">
                  <Loaded query={series}>{(loaded) => <LeftOut series={loaded as SloSeries} />}</Loaded>
                </Panel>
                <GeneratedRules slo={slo} />
              </div>
            </div>
          </CodeTabs>
        </Page>
      )}
    </Loaded>
  );
}

function Facts({ slo, status }: { slo: Slo; status: SloStatus | undefined }) {
  return (
    <p className="facts">
      <State state={sloStateOf(slo.enabled, status)} />
      {slo.checkId === null ? (
        <span>
          requests to the third party <Text>{slo.patternId ?? ""}</Text>
        </span>
      ) : (
        <PageLink page="check" parameters={{ id: slo.checkId }}>
          <Text>{slo.checkName ?? slo.checkId}</Text>
        </PageLink>
      )}
      <span>
        {percentText(slo.targetBasisPoints / 10_000)} of the results of {slo.windowDays} days{" "}
        {slo.perfThresholdMs === null ? "succeed" : `succeed within ${numberText(slo.perfThresholdMs)} ms`}
      </span>
      <code>{slo.id}</code>
    </p>
  );
}

function Standing({ slo, status }: { slo: Slo; status: SloStatus }) {
  if (status.totalCount === 0) return <p className="quiet">There is no result in the window yet.</p>;
  const left = budgetLeft(status);
  const counted = slo.sliType === "performance" ? "results, good ones in time" : "results";
  return (
    <Figures>
      <FigureValue
        title="Error budget left"
        note={
          <>
            of <Exact value={status.errorBudgetTotal} digits={1} unit="min" />,{" "}
            <Exact value={status.errorBudgetConsumed} digits={1} unit="min" /> spent
          </>
        }
      >
        <Meter label="Error budget left" share={left}>
          <Exact value={status.errorBudgetRemaining} digits={1} unit="min" />{" "}
          <span className="quiet">{percentText(left)}</span>
        </Meter>
      </FigureValue>
      <FigureValue
        title="Availability"
        note={`of ${numberText(status.totalCount)} ${counted}; target ${percentText(slo.targetBasisPoints / 10_000)}`}
      >
        {percentText(goodShare(status))}
      </FigureValue>
      <FigureValue title="Burn rate, 1 h" note="1 spends it over the window">
        <Exact value={status.burnRate1h} />
      </FigureValue>
      <FigureValue title="Burn rate, 6 h">
        <Exact value={status.burnRate6h} />
      </FigureValue>
      <FigureValue title="Burn rate, 24 h">
        <Exact value={status.burnRate24h} />
      </FigureValue>
    </Figures>
  );
}
