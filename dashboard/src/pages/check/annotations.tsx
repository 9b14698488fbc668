/** What happened beside the results of a check in a range: deployments, changes, maintenance, alerts. */
import type { Annotation } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { annotationsOf, annotationsQuery } from "../../api/queries/annotations.ts";
import { durationText, instantText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Text } from "../../ui/text.tsx";
import type { PageRange } from "../../ui/use-range.ts";

/** Entries that are listed; more are counted. */
const SHOWN_MAX = 20;

const KINDS: Readonly<Record<Annotation["kind"], string>> = {
  deployment: "Deployment",
  config_change: "Change",
  maintenance: "Maintenance",
  alert: "Alert",
  incident: "Incident",
  certificate_change: "Certificate",
  schema_drift: "Schema drift",
};

/** Lists what happened, newest first; nothing where nothing did. */
export function Annotations({ checkId, range }: { checkId: string; range: PageRange }) {
  const query = useQuery({
    ...annotationsQuery(annotationsOf(checkId, range)),
    placeholderData: (before) => before,
  });
  const all = query.data?.annotations ?? [];
  if (all.length === 0) return null;
  return (
    <>
      <h3>Meanwhile</h3>
      <ul aria-label="Annotations" className="annotations">
        {all.slice(0, SHOWN_MAX).map((one) => (
          <li key={`${one.kind} ${one.at} ${one.subjectId}`}>
            <time dateTime={one.at}>{instantText(one.at)}</time>
            <span className="tag">{KINDS[one.kind]}</span>
            <Linked annotation={one}>
              <Text>{one.title}</Text>
            </Linked>
            {one.until !== null && (
              <span className="quiet">{`for ${durationText(Math.max(0, Date.parse(one.until) - Date.parse(one.at)))}`}</span>
            )}
          </li>
        ))}
      </ul>
      {all.length > SHOWN_MAX && <p className="quiet">and {all.length - SHOWN_MAX} before them</p>}
    </>
  );
}

/** Links the title to what it names, where that has a page of its own. */
function Linked({
  annotation: { kind, subjectId },
  children,
}: {
  annotation: Annotation;
  children: ReactNode;
}) {
  if (subjectId !== null && kind === "alert")
    return (
      <PageLink page="alert" parameters={{ id: subjectId }}>
        {children}
      </PageLink>
    );
  if (subjectId !== null && kind === "incident")
    return (
      <PageLink page="incident" parameters={{ id: subjectId }}>
        {children}
      </PageLink>
    );
  if (kind === "deployment")
    return (
      <PageLink page="deployments" parameters={{}}>
        {children}
      </PageLink>
    );
  return children;
}
