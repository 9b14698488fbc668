/** Triage of an incident: the likely cause, what is affected, what changed before, what failed first, and all that happened. */
import "./incident.css";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useParams } from "wouter";
import { annotationsQuery } from "../../api/queries/annotations.ts";
import { incidentQuery } from "../../api/queries/incidents.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { incidentStates, severityWords } from "../../status/words.ts";
import { Since } from "../../time/ago.tsx";
import { durationText, instantText } from "../../time/format.ts";
import { Figures, FigureValue } from "../../ui/figure-value.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";
import { Together } from "../../ui/together.tsx";
import { AddNote } from "./add-note.tsx";
import { Affected } from "./affected.tsx";
import { WhatChangedBefore } from "./before.tsx";
import { EarlierIncidents } from "./earlier.tsx";
import { FirstFailure } from "./first-failure.tsx";
import { Hypothesis } from "./hypothesis.tsx";
import { IncidentActions } from "./lifecycle.tsx";
import { Timeline, useTimeline } from "./timeline.tsx";
import { BEFORE_MS, endMsOf, relevantTo, type ShownIncident, type Triage } from "./triage.ts";
import { useAffected } from "./use-affected.ts";
import { useFirstAnswers } from "./use-first-answers.ts";

/** Heights of the heading with its figures, and of the panels of the first column. */
const SKELETON_PX = [120, 220, 180, 200];

/** Shows the incident that the address names. */
export default function IncidentPage() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery(incidentQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Incident not found" />;
  return (
    <Loaded query={query} skeleton={<Skeleton heightsPx={SKELETON_PX} />}>
      {(triage) => <TriagePage key={id} triage={triage} />}
    </Loaded>
  );
}

function TriagePage({ triage }: { triage: Triage }) {
  const { incident, alerts } = triage;
  const mayChange = useMayChange();
  const endMs = endMsOf(incident);
  const happened = useQuery(
    annotationsQuery({
      from: new Date(Date.parse(incident.openedAt) - BEFORE_MS).toISOString(),
      ...(endMs !== undefined && { to: new Date(endMs + 1).toISOString() }),
    }),
  );
  const { data, error } = happened;
  const annotations = useMemo(() => data && relevantTo(alerts, data.annotations), [data, alerts]);
  const affected = useAffected(triage);
  const queries = [...useFirstAnswers(triage), happened, { isPending: !affected.isKnown, failureCount: 0 }];
  const entries = useTimeline(triage, annotations ?? []);
  const locationCount = affected.isKnown ? affected.locationIds.length : undefined;
  return (
    <Together queries={queries} heightsPx={SKELETON_PX}>
      <Page
        title={incident.title}
        actions={<IncidentActions triage={triage} annotations={annotations ?? []} entries={entries} />}
      >
        {incident.mergedInto !== null && <MergedInto id={incident.mergedInto} />}
        <Head incident={incident} checkCount={affected.rows.length + affected.hiddenCount} />
        <div className="triage">
          <div>
            <Hypothesis triage={triage} annotations={annotations} locationCount={locationCount} />
            <Affected affected={affected} />
            <FirstFailure alerts={alerts.filter(({ heldBack }) => heldBack?.reason !== "dependency")} />
          </div>
          <div>
            <WhatChangedBefore incident={incident} annotations={annotations} problem={error?.message} />
            <Timeline entries={entries} />
            {mayChange && <AddNote id={incident.id} />}
            <EarlierIncidents ids={incident.recurrenceOf} />
          </div>
        </div>
      </Page>
    </Together>
  );
}

function Head({ incident, checkCount }: { incident: ShownIncident; checkCount: number }) {
  const { state, severity, openedAt, openMemberCount, memberCount, acknowledgedAt, acknowledgedByName } =
    incident;
  const endMs = endMsOf(incident);
  return (
    <div className="triage-head">
      <p className="facts">
        <State state={incidentStates[state]} />
        <span className={`severity ${severity}`}>{severityWords[severity]}</span>
        <span>
          opened <time dateTime={openedAt}>{instantText(openedAt)}</time>
        </span>
        {acknowledgedAt !== null && (
          <span>
            acknowledged by <Text>{acknowledgedByName ?? "somebody"}</Text>
          </span>
        )}
      </p>
      <Figures>
        <FigureValue title={endMs === undefined ? "Lasts for" : "Lasted"}>
          {endMs === undefined ? <Since at={openedAt} /> : durationText(endMs - Date.parse(openedAt))}
        </FigureValue>
        <FigureValue title="Open alerts">
          {openMemberCount} <span className="of">of {memberCount}</span>
        </FigureValue>
        <FigureValue title="Checks">{checkCount}</FigureValue>
      </Figures>
    </div>
  );
}

/** Says that another incident has the alerts of this one. */
function MergedInto({ id }: { id: string }) {
  const other = useQuery(incidentQuery(id)).data?.incident;
  return (
    <p className="notice">
      It turned out to be part of another incident, which has its alerts now:{" "}
      <PageLink page="incident" parameters={{ id }}>
        <Text>{other?.title ?? id}</Text>
      </PageLink>
    </p>
  );
}
