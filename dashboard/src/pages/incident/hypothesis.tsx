/** The likely cause of an incident with its evidence, and what would change it. */
import { useId } from "react";
import { useLocationNames } from "../../api/location-names.ts";
import { ClaimFacts, Claims, ModelMark } from "../../evidence/claims.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import { doubtsOf } from "./doubts.ts";
import { confidenceWords, factOf, sharedFactsOf } from "./fact-words.ts";
import { Facts } from "./facts.tsx";
import { changesBefore, type ShownAnnotation, type Triage } from "./triage.ts";

/**
 * Shows the hypothesis.
 * @param props.annotations undefined while they are not known
 * @param props.locationCount locations of the affected checks; undefined while that is not known
 */
export function Hypothesis({
  triage: { incident, alerts, wording },
  annotations,
  locationCount,
}: {
  triage: Triage;
  annotations: readonly ShownAnnotation[] | undefined;
  locationCount: number | undefined;
}) {
  const names = useLocationNames();
  const { summary, confidence, ruledIn, ruledOut, correlationDimensionsMatched, scope } = incident.hypothesis;
  const doubts = annotations
    ? doubtsOf({ incident, alerts, changes: changesBefore(incident, annotations), locationCount })
    : [];
  const shared = sharedFactsOf(correlationDimensionsMatched, (id) => names.get(id) ?? id);
  return (
    <Panel title="Hypothesis">
      <p className="lead">
        <Text>{summary}</Text>
      </p>
      <p className="confidence">
        Confidence <strong>{Math.round(confidence * 100)} %</strong> {confidenceWords(confidence)}
        <span className="quiet">
          {scope === "external_symptoms_only"
            ? "from what the checks saw"
            : "from what the checks saw and what changed"}
        </span>
      </p>
      {wording && <Wording wording={wording} />}
      <div className="evidence">
        <Facts title="Speaks for it" facts={ruledIn.map(factOf)} />
        <Facts title="Excluded" facts={ruledOut.map(factOf)} />
      </div>
      <Facts title="What its alerts share" facts={shared} />
      {doubts.length > 0 && (
        <>
          <h3>What would change it</h3>
          <ul aria-label="What would change it" className="doubts">
            {doubts.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}

/** Shows the hypothesis in a language model's words, marked as such, beside the rules'. */
function Wording({ wording: { claims, facts, model } }: { wording: NonNullable<Triage["wording"]> }) {
  const key = useId();
  return (
    <details>
      <summary>In other words</summary>
      <p>
        <Claims claims={claims} factsKey={key} />
      </p>
      <p className="facts">
        <ModelMark model={model} />
      </p>
      <ClaimFacts facts={facts} factsKey={key} />
    </details>
  );
}
