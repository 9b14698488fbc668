/** A result: why the run failed, how its time was spent, and what the target answered. */
import "./result.css";
import type { resultRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import { useLocationNames } from "../../api/location-names.ts";
import { resultQuery } from "../../api/queries/checks.ts";
import { lastSuccessQuery, runQuery, successesBeforeQuery } from "../../api/queries/history.ts";
import { locationsQuery } from "../../api/queries/locations.ts";
import type { Answer } from "../../api/request.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { resultStates } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { durationText, instantText } from "../../time/format.ts";
import { Copy } from "../../ui/copy.tsx";
import { valueText } from "../../ui/failed-assertions.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text, Verbatim } from "../../ui/text.tsx";
import { Together } from "../../ui/together.tsx";
import { Comparison } from "./comparison.tsx";
import { Neighbors } from "./neighbors.tsx";
import { RESULT_PARTS } from "./parts.ts";
import { RawResult } from "./raw-result.tsx";
import { RunTabs } from "./run-tabs.tsx";
import { Screenshots } from "./screenshots.tsx";
import { Timing } from "./timing.tsx";
import { WhyItFailed } from "./why-it-failed.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Heights of the heading, of why it failed, and of how its time was spent. */
const SKELETON_PX = [60, 150, 210];

/** Shows the result that the address names. */
export default function ResultPage() {
  const { id = "", resultId = "" } = useParams<{ id: string; resultId: string }>();
  const query = useQuery(resultQuery(id, resultId));
  if (isNotFound(query.error)) return <NotFound title="Result not found" />;
  return (
    <Loaded query={query} skeleton={<Skeleton heightsPx={SKELETON_PX} />}>
      {(loaded) => <ResultDetails key={loaded.result.id} loaded={loaded} />}
    </Loaded>
  );
}

function ResultDetails({
  loaded: { result, previousId, nextId },
}: {
  loaded: Answer<typeof resultRoutes.get>;
}) {
  const names = useLocationNames();
  const { checkId, runId, locationId } = result;
  const isFailed = result.status !== "success";
  const before = { resultId: result.id, locationId };
  const queries = [
    useQuery(locationsQuery),
    useQuery(runQuery(checkId, runId)),
    useQuery(successesBeforeQuery(checkId, before)),
  ];
  const success = useQuery({ ...lastSuccessQuery(checkId, before), enabled: isFailed });
  const nameOf = (location: string) => names.get(location) ?? location;
  return (
    <Together queries={isFailed ? [...queries, success] : queries} heightsPx={SKELETON_PX}>
      <Page
        title={`${resultStates[result.status].word} from ${nameOf(locationId)}, ${instantText(result.slotAt)}`}
      >
        <p className="facts">
          <State state={resultStates[result.status]} />
          <Ago at={result.startedAt} />
          <PageLink page="check" parameters={{ id: checkId }}>
            Go to the check
          </PageLink>
          <PageLink page="run" parameters={{ id: checkId, runId }}>
            All locations of this run
          </PageLink>
          <Neighbors checkId={checkId} previousId={previousId} nextId={nextId} />
        </p>
        <RunTabs checkId={checkId} runId={runId} resultId={result.id} nameOf={nameOf} />
        {isFailed && <WhyItFailed result={result} />}
        <Screenshots result={result} />
        <Assertions result={result} />
        <Timing result={result} />
        {isFailed && <Comparison result={result} previousId={previousId} nameOf={nameOf} />}
        <ResponseEvidence result={result} />
        {RESULT_PARTS.map(({ name, Part }) => (
          <Part key={name} result={result} />
        ))}
        <RawResult result={result} />
        <p className="quiet">
          Run <code>{runId}</code> (
          {result.reason === "triggered" ? "manual" : result.reason.replace("_", " ")}
          {result.lateMs !== null && `, began ${durationText(result.lateMs)} after it was due`})
          {result.traceId !== null && (
            <>
              , trace <code>{result.traceId}</code> <Copy text={result.traceId} label="Copy trace id" />
            </>
          )}
        </p>
      </Page>
    </Together>
  );
}

function Assertions({ result }: { result: Shown }) {
  const assertions = (result.assertions ?? []).map((one, index) => ({ ...one, index }));
  if (assertions.length === 0) return null;
  return (
    <Panel title="Assertions">
      <Table
        name="Assertions"
        rows={assertions}
        keyOf={({ index }) => String(index)}
        columns={[
          { title: "Assertion", cell: ({ type }) => type },
          {
            title: "Outcome",
            cell: ({ passed }) => <State state={resultStates[passed ? "success" : "failure"]} />,
          },
          { title: "Expected", cell: ({ expected }) => <Text>{valueText(expected)}</Text> },
          { title: "Got", cell: ({ actual }) => <Text>{valueText(actual)}</Text> },
        ]}
      />
    </Panel>
  );
}

function ResponseEvidence({ result: { response } }: { result: Shown }) {
  if (!response) return null;
  const headers = Object.entries(response.headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
  return (
    <>
      <Panel title="Response headers">
        <p>
          HTTP {response.httpStatusCode} from <Text>{response.url}</Text>
        </p>
        <Verbatim label="Headers">{headers}</Verbatim>
      </Panel>
      <Panel title="Response body">
        {response.wasTruncated && <p>Cut: the body has {response.bodyBytes} bytes.</p>}
        <Verbatim label="Body">{response.body === "" ? "(empty)" : response.body}</Verbatim>
      </Panel>
    </>
  );
}
