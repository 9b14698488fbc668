/** The newest analysis of a check, and the button that asks for another one. */
import { ANALYSIS_COOLDOWN_SECONDS } from "@svc/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { analysisQuery, analyze, type LastAnalysis } from "../../api/queries/analysis.ts";
import { RequestError } from "../../api/request.ts";
import { ClaimFacts, Claims, ModelMark } from "../../evidence/claims.tsx";
import { useMayChange } from "../../shell/session.tsx";
import { severityWords } from "../../status/words.ts";
import { Ago, useNowMs } from "../../time/ago.tsx";
import { countText, durationText, numberText } from "../../time/format.ts";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

/** `model` of an insight that no language model worded. */
const RULES = "rules";
/** Longest wait that is said in seconds alone. */
const SECONDS_MAX = 600;

type Insight = NonNullable<LastAnalysis["insight"]>;

/** Shows the analysis. */
export function InsightPanel({ checkId }: { checkId: string }) {
  const query = useQuery(analysisQuery(checkId));
  return (
    <Panel title="Insight">
      <Loaded query={query}>
        {(analysis) => (
          <>
            {analysis.insight ? (
              <Known insight={analysis.insight} isStale={analysis.stale} />
            ) : (
              <Empty>
                <p>
                  Nobody has asked for an analysis yet. It says what is going on with the check, from its
                  stored results; nothing is requested from the target.
                </p>
                <p>
                  By the command line: <code>svc monitors analyze {checkId}</code>
                </p>
              </Empty>
            )}
            <Analyze checkId={checkId} analysis={analysis} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Known({ insight, isStale }: { insight: Insight; isStale: boolean }) {
  const { type, severity, confidence, summary, claims, evidence, model, generatedAt } = insight;
  const key = useId();
  return (
    <>
      <p className="lead">{claims ? <Claims claims={claims} factsKey={key} /> : <Text>{summary}</Text>}</p>
      <p className="facts">
        <span className="tag">{type.replaceAll("_", " ")}</span>
        <span>{severityWords[severity]}</span>
        <span>{Math.round(confidence * 100)} % sure</span>
        <Ago at={generatedAt} />
        <WordedBy model={model} />
      </p>
      {isStale && <p className="quiet">Newer results have come in since.</p>}
      {claims && <ClaimFacts facts={evidence} factsKey={key} />}
      {!claims && evidence.length > 0 && (
        <ul aria-label="Evidence">
          {[...new Set(evidence)].map((sentence) => (
            <li key={sentence}>
              <Text>{sentence}</Text>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Says who worded the summary. */
function WordedBy({ model }: { model: string }) {
  return model === RULES ? <span className="quiet">worded by rules</span> : <ModelMark model={model} />;
}

function Analyze({ checkId, analysis }: { checkId: string; analysis: LastAnalysis }) {
  const client = useQueryClient();
  const nowMs = useNowMs();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => analyze(checkId),
    onSuccess: (answer) => client.setQueryData(analysisQuery(checkId).queryKey, answer),
    onError: () => client.invalidateQueries({ queryKey: analysisQuery(checkId).queryKey }),
  });
  const left = Math.max(0, analysis.deepAnalysisLimit - analysis.deepAnalysisCount);
  const freeAtMs = analysis.insight
    ? Date.parse(analysis.insight.generatedAt) + ANALYSIS_COOLDOWN_SECONDS * 1000
    : 0;
  const waitMs = Math.ceil((freeAtMs - nowMs) / 1000) * 1000;
  if (!useMayChange()) return null;
  return (
    <p className="facts">
      <button type="button" disabled={isPending || left === 0} onClick={() => mutate()}>
        Analyze
      </button>
      <span className="quiet">
        {left === 0
          ? `All ${analysis.deepAnalysisLimit} analyses of this check are used.`
          : `${countText(left, "use")} left of ${analysis.deepAnalysisLimit}`}
        {left > 0 && waitMs > 0 && `, the next in ${durationText(waitMs)}`}
      </span>
      {error && (
        <span role="alert" className="problem">
          {refusalText(error)}
        </span>
      )}
    </p>
  );
}

/** Returns the API's sentence, and after which time another try makes sense. */
function refusalText(error: Error): string {
  const seconds = error instanceof RequestError ? error.retryAfterSeconds : undefined;
  if (seconds === undefined) return error.message;
  const wait = seconds <= SECONDS_MAX ? `${numberText(seconds)} s` : durationText(seconds * 1000);
  return `${error.message}. Try again in ${wait}.`;
}
