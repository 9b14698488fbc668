/** How an alert ends, and how far that is; or how it ended. */
import type { alertInstanceRoutes } from "@svc/contract";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useLocationNames } from "../../api/location-names.ts";
import { rulesOfCheckQuery } from "../../api/queries/rules.ts";
import { resultsInSightQuery } from "../../api/queries/summary.ts";
import type { Answer } from "../../api/request.ts";
import { resultStates } from "../../status/words.ts";
import { instantText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Panel } from "../../ui/panel.tsx";
import { StateMark } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";
import { progressOf } from "./recovery.ts";

type Shown = Answer<typeof alertInstanceRoutes.get>;

/** Shows the rule by which the alert ends in words. */
export function HowItEnds({ alert: { instance, events } }: { alert: Shown }) {
  const { state } = instance;
  return (
    <Panel title="How it ends">
      {state === "recovered" || state === "resolved" ? (
        <HowItEnded instance={instance} events={events} />
      ) : (
        <Recovery instance={instance} />
      )}
    </Panel>
  );
}

function HowItEnded({ instance, events }: Shown) {
  const { state, recoveredAt, resolvedAt, recoveryResultId, checkId } = instance;
  const by = events.findLast(({ type }) => type === "resolved")?.actorName;
  const at = recoveredAt ?? resolvedAt;
  return (
    <p>
      {state === "recovered" ? "It recovered" : "It was resolved"}
      {at !== null && ` at ${instantText(at)}`}
      {by != null && (
        <>
          {" by "}
          <Text>{by}</Text>
        </>
      )}
      .{" "}
      {recoveryResultId !== null && checkId !== null && (
        <PageLink page="result" parameters={{ id: checkId, resultId: recoveryResultId }}>
          The result that ended it
        </PageLink>
      )}
    </p>
  );
}

function Recovery({ instance: { checkId, ruleId } }: Pick<Shown, "instance">) {
  const names = useLocationNames();
  const rules = useQuery({
    ...rulesOfCheckQuery(checkId ?? ""),
    ...(checkId === null && { queryFn: skipToken }),
  }).data?.alerts;
  const newest = useQuery(resultsInSightQuery(checkId === null ? [] : [checkId])).data;
  const rule = rules?.find(({ id }) => id === ruleId);
  if (!rule || rule.sloId !== null)
    return <p>It ends by itself once its conditions hold no more, or when somebody resolves it.</p>;
  const needed = rule.recovery.consecutiveSuccesses;
  const progress = checkId === null ? [] : progressOf(newest?.get(checkId) ?? [], needed);
  return (
    <>
      <p>
        It ends by itself once its conditions hold no more and each location that failed has had{" "}
        {needed === 1 ? "a success" : `${needed} successes in a row`}, or when somebody resolves it.
      </p>
      <ul className="plain" aria-label="How far it is">
        {progress.map(({ locationId, successes }) => (
          <li key={locationId} className="card-head">
            <StateMark mark={resultStates[successes < needed ? "failure" : "success"].mark} />
            <span>
              {successes} of {needed} {needed === 1 ? "success" : "successes"} at{" "}
              <Text>{names.get(locationId) ?? locationId}</Text>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
