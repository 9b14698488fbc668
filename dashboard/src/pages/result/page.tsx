/** A result: why the run failed, how its time was spent, and what the target answered. */
import "./result.css";
import type { resultRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useParams } from "wouter";
import { useLocationNames } from "../../api/location-names.ts";
import { resultQuery } from "../../api/queries/checks.ts";
import type { Answer } from "../../api/request.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { resultStates } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { durationText, instantText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text, Verbatim } from "../../ui/text.tsx";
import { Comparison } from "./comparison.tsx";
import { Neighbors } from "./neighbors.tsx";
import { PHASES, phaseText } from "./phases.ts";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the result that the address names. */
export default function ResultPage() {
  const { id = "", resultId = "" } = useParams<{ id: string; resultId: string }>();
  const query = useQuery(resultQuery(id, resultId));
  const names = useLocationNames();
  if (isNotFound(query.error)) return <NotFound title="Result not found" />;
  return (
    <Loaded query={query}>
      {({ result, previousId, nextId }) => {
        const location = names.get(result.locationId) ?? result.locationId;
        return (
          <Page
            key={result.id}
            title={`${resultStates[result.status].word} from ${location}, ${instantText(result.slotAt)}`}
          >
            <p className="facts">
              <State state={resultStates[result.status]} />
              <Ago at={result.startedAt} />
              <PageLink page="check" parameters={{ id }}>
                Go to the check
              </PageLink>
              <PageLink page="run" parameters={{ id, runId: result.runId }}>
                All locations of this run
              </PageLink>
              <Neighbors checkId={id} previousId={previousId} nextId={nextId} />
            </p>
            {result.status !== "success" && <WhyItFailed result={result} />}
            <Assertions result={result} />
            <Timing result={result} />
            {result.status !== "success" && <Comparison result={result} location={location} />}
            <ResponseEvidence result={result} />
            <p className="quiet">
              Run <code>{result.runId}</code> (
              {result.reason === "triggered" ? "manual" : result.reason.replace("_", " ")}
              {result.lateMs !== null && `, began ${durationText(result.lateMs)} after it was due`})
              {result.traceId !== null && (
                <>
                  , trace <code>{result.traceId}</code>
                </>
              )}
            </p>
          </Page>
        );
      }}
    </Loaded>
  );
}

function WhyItFailed({ result }: { result: Shown }) {
  const failed = (result.assertions ?? []).filter(({ passed }) => !passed);
  return (
    <Panel title="Why it failed">
      <p>
        <Text>{result.errorMessage ?? "The run gives no reason."}</Text>
      </p>
      {failed.map((one) => (
        <p key={JSON.stringify(one)}>
          <Text>{`${one.type}: expected ${textOf(one.expected)}, got ${textOf(one.actual)}`}</Text>
        </p>
      ))}
      {(result.notes ?? []).map((note) => (
        <p key={note} className="quiet">
          <Text>{note}</Text>
        </p>
      ))}
    </Panel>
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
          { title: "Expected", cell: ({ expected }) => <Text>{textOf(expected)}</Text> },
          { title: "Got", cell: ({ actual }) => <Text>{textOf(actual)}</Text> },
        ]}
      />
    </Panel>
  );
}

function Timing({ result: { timing, responseTimeMs } }: { result: Shown }) {
  let beginMs = 0;
  const phases = PHASES.map(([name, field, absent]) => {
    const ms = timing[field];
    const phase = { name, ms, beginMs, absent };
    beginMs += ms ?? 0;
    return phase;
  });
  const totalMs = Math.max(beginMs, timing.totalMs, 1);
  return (
    <Panel title="Time">
      <figure aria-label="Timing">
        <figcaption>{durationText(responseTimeMs)} in all</figcaption>
        <dl className="waterfall">
          {phases.map(({ name, ms, beginMs: at, absent }) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
                  {ms !== undefined && (
                    <rect
                      x={(at / totalMs) * 100}
                      y={1}
                      width={Math.max(0.4, (ms / totalMs) * 100)}
                      height={8}
                    />
                  )}
                </svg>
                {ms === undefined ? absent : phaseText(ms)}
              </dd>
            </Fragment>
          ))}
        </dl>
      </figure>
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

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  return typeof value === "string" ? value : JSON.stringify(value);
}
