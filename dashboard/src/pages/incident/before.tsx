/** What changed in the hour before an incident. */
import { durationText, instantText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import { REPORT_DEPLOYMENT } from "./doubts.ts";
import { changesBefore, type ShownAnnotation, type ShownIncident } from "./triage.ts";

const KINDS: Readonly<Record<ShownAnnotation["kind"], string>> = {
  deployment: "Deployment",
  config_change: "Change",
  maintenance: "Maintenance",
  alert: "Alert",
  incident: "Incident",
  certificate_change: "Certificate",
  schema_drift: "MCP server",
};

/** Changes that are shown; the timeline has all. */
const SHOWN_MAX = 8;

/** Shows the changes, the newest first: it is the likeliest. @param props.annotations undefined while they load @param props.problem why they could not be read */
export function WhatChangedBefore({
  incident,
  annotations,
  problem,
}: {
  incident: ShownIncident;
  annotations: readonly ShownAnnotation[] | undefined;
  problem: string | undefined;
}) {
  const changes = annotations && changesBefore(incident, annotations);
  return (
    <Panel title="What changed before">
      {problem !== undefined && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      {!changes && problem === undefined && (
        <p className="loading" aria-busy="true">
          Loading …
        </p>
      )}
      {changes?.length === 0 && (
        <Empty>
          Nothing was reported in the hour before. Report deployments with <code>{REPORT_DEPLOYMENT}</code>.
        </Empty>
      )}
      {changes && changes.length > 0 && (
        <ul className="cards" aria-label="What changed before">
          {changes.slice(0, SHOWN_MAX).map((change) => (
            <li key={`${change.kind} ${change.at} ${change.subjectId}`}>
              <p className="card-head">
                <span className="fact-about">{KINDS[change.kind]}</span>
                <strong>
                  <Text>{change.title}</Text>
                </strong>
              </p>
              <p className="below">
                <time dateTime={change.at}>{instantText(change.at)}</time>, {distanceText(change, incident)}{" "}
                <Subject change={change} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {changes && changes.length > SHOWN_MAX && (
        <p className="below">And {changes.length - SHOWN_MAX} earlier ones, which stand in the timeline.</p>
      )}
    </Panel>
  );
}

function distanceText({ at, until }: ShownAnnotation, { openedAt }: ShownIncident): string {
  const openedMs = Date.parse(openedAt);
  if (until !== null && Date.parse(until) >= openedMs) return "held when it began";
  return `${durationText(openedMs - Date.parse(until ?? at))} before`;
}

/** Shows a link to the page that tells more. */
function Subject({ change: { kind, subjectId } }: { change: ShownAnnotation }) {
  switch (kind) {
    case "deployment":
      return (
        <PageLink page="deployments" parameters={{}}>
          All deployments
        </PageLink>
      );
    case "config_change":
      return (
        <PageLink page="changes" parameters={{}}>
          All changes
        </PageLink>
      );
    case "maintenance":
      return (
        <PageLink page="maintenance" parameters={{}}>
          All windows
        </PageLink>
      );
    case "certificate_change":
    case "schema_drift":
      return subjectId === null ? null : (
        <PageLink page="check" parameters={{ id: subjectId }}>
          The check
        </PageLink>
      );
    default:
      return null;
  }
}
