/** The first failure of an incident, beside the last success before it at that location. */
import type { resultRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useLocationNames } from "../../api/location-names.ts";
import { resultQuery } from "../../api/queries/checks.ts";
import { lastSuccessQuery } from "../../api/queries/history.ts";
import type { Answer } from "../../api/request.ts";
import { resultStates } from "../../status/words.ts";
import { durationText, instantText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import { sentenceOf } from "./fact-words.ts";
import { type FirstResult, firstFailingResult } from "./first-failing-result.ts";
import type { ShownAlert } from "./triage.ts";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the evidence of the first failure that the alerts name. */
export function FirstFailure({ alerts }: { alerts: readonly ShownAlert[] }) {
  const first = firstFailingResult(alerts);
  return (
    <Panel title="First failure">
      {first ? <Evidence first={first} /> : <Empty>Its alerts name no single result.</Empty>}
    </Panel>
  );
}

function Evidence({ first: { checkId, resultId } }: { first: FirstResult }) {
  return (
    <Loaded query={useQuery(resultQuery(checkId, resultId))}>
      {({ result }) => <Failure result={result} />}
    </Loaded>
  );
}

function Failure({ result }: { result: Shown }) {
  const names = useLocationNames();
  const { id, checkId, locationId } = result;
  const success = useQuery(lastSuccessQuery(checkId, { resultId: id, locationId })).data;
  const picture = result.screenshotsJson?.at(-1);
  return (
    <>
      <p className="facts">
        <State state={resultStates[result.status]} />
        <Text>{names.get(locationId) ?? locationId}</Text>
        <time dateTime={result.slotAt}>{instantText(result.slotAt)}</time>
        <PageLink page="result" parameters={{ id: checkId, resultId: id }}>
          All evidence
        </PageLink>
      </p>
      <p className="lead">
        <Text>
          {result.errorMessage === null ? "The run gives no reason." : sentenceOf(result.errorMessage)}
        </Text>
      </p>
      {success === null && <p className="quiet">There is no earlier success from this location.</p>}
      {success && <Compared result={result} success={success} />}
      {picture?.url !== undefined && (
        <img
          className="first-picture"
          src={picture.url}
          alt="What the browser showed at the failure"
          loading="lazy"
        />
      )}
    </>
  );
}

function Compared({ result, success }: { result: Shown; success: Shown }) {
  const rows = [
    ["HTTP status", success.httpStatusCode, result.httpStatusCode],
    ["Took", durationText(success.responseTimeMs), durationText(result.responseTimeMs)],
    ["At", instantText(success.slotAt), instantText(result.slotAt)],
  ] as const;
  return (
    <Table
      name="First failure and last success"
      rows={rows.filter(([, before, then]) => before !== null || then !== null)}
      keyOf={([name]) => name}
      columns={[
        { title: "Compared", cell: ([name]) => name },
        { title: "Last success", cell: ([, before]) => before ?? "none" },
        { title: "First failure", cell: ([, , then]) => <strong>{then ?? "none"}</strong> },
      ]}
    />
  );
}
