/** Findings of a test run at one location, and the assertions that can be made of them. */
import { type Assertion, assertionsReadOff, meetActual } from "@svc/contract";
import { useId, useState } from "react";
import type { ShownTestRun } from "../../../api/queries/test-runs.ts";
import { PHASES, phaseText } from "../../../evidence/phases.ts";
import { RunParts } from "../../../evidence/run-parts.tsx";
import { useForm } from "../../../forms/form.tsx";
import { labelOf } from "../../../forms/label.ts";
import { valueAt } from "../../../forms/paths.ts";
import { resultStates } from "../../../status/words.ts";
import { durationText, numberText } from "../../../time/format.ts";
import { valueText } from "../../../ui/failed-assertions.tsx";
import { State } from "../../../ui/state.tsx";
import { Text } from "../../../ui/text.tsx";
import type { CheckDraft } from "../body.ts";
import { assertionsPathOf } from "./body.ts";

type Found = NonNullable<ShownTestRun["locations"][number]["result"]>;

/** Values that are offered at once; a word finds the others. */
const OFFERED_MAX = 20;
/** Characters of a body that are shown. */
const BODY_CHARACTERS_MAX = 4_000;

interface FoundProps {
  result: Found;
  /** The draft that ran. */
  ran: CheckDraft;
  /** The draft as it is now. */
  draft: CheckDraft;
}

/** Shows status, times, assertions and response. */
export function FoundAtLocation(props: FoundProps) {
  const { status, responseTimeMs, httpStatusCode, errorCategory, errorMessage, timing, response, notes } =
    props.result;
  return (
    <>
      <p className="lead">
        <State state={resultStates[status]} />
        {httpStatusCode !== null && ` ${httpStatusCode}`} {durationText(responseTimeMs)}
      </p>
      {errorMessage !== null && errorCategory !== "assertion" && (
        <p>
          <Text>{errorMessage}</Text>
        </p>
      )}
      {props.result.scriptLine != null && (
        <p className="quiet">Line {props.result.scriptLine} of the script</p>
      )}
      <Assertions {...props} />
      <dl className="phases" aria-label="Timing">
        {PHASES.filter(([, field]) => timing[field] !== undefined).map(([name, field]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{phaseText(timing[field] as number)}</dd>
          </div>
        ))}
      </dl>
      {(notes ?? []).map((note) => (
        <p key={note} className="quiet">
          <Text>{note}</Text>
        </p>
      ))}
      {response && (
        <>
          <ReadOff {...props} />
          <details>
            <summary>Response</summary>
            <ul className="plain" aria-label="Response headers">
              {Object.entries(response.headers).map(([name, value]) => (
                <li key={name}>
                  <Text>{`${name}: ${value}`}</Text>
                </li>
              ))}
            </ul>
            <pre className="code">
              <Text>{response.body.slice(0, BODY_CHARACTERS_MAX)}</Text>
            </pre>
            {(response.wasTruncated || response.body.length > BODY_CHARACTERS_MAX) && (
              <p className="quiet">
                The body has {numberText(response.bodyBytes)} bytes; this is its beginning.
              </p>
            )}
          </details>
        </>
      )}
      <RunParts result={props.result} />
    </>
  );
}

/** Shows each assertion with what was expected and what was there. */
function Assertions({ result: { assertions }, ran, draft }: FoundProps) {
  const { change } = useForm();
  const path = assertionsPathOf(ran);
  if (!assertions || assertions.length === 0) return null;
  const listOf = (one: CheckDraft) =>
    (path ? (valueAt(one, path) as Assertion[] | undefined) : undefined) ?? [];
  const isAsItRan = JSON.stringify(listOf(ran)) === JSON.stringify(listOf(draft));
  return (
    <ul className="plain" aria-label="Assertions">
      {assertions.map(({ type, passed, expected, actual }, index) => {
        const written = listOf(ran)[index];
        const met = !passed && written?.type === type ? meetActual(written, actual) : undefined;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: assertions have no id, and keep their order
          <li key={index}>
            <State state={passed ? HOLDS : FAILS} /> {labelOf(type)}{" "}
            <Text>{`expected ${valueText(expected)}, actual ${valueText(actual)}`}</Text>{" "}
            {path && met && isAsItRan && (
              <button type="button" className="quiet-button" onClick={() => change([...path, index], met)}>
                Use actual value
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const HOLDS = { word: "Holds", mark: "good" } as const;
const FAILS = { word: "Fails", mark: "failing" } as const;

/** Offers assertions that hold for the response. */
function ReadOff({ result: { response }, draft }: FoundProps) {
  const { change } = useForm();
  const id = useId();
  const [word, setWord] = useState("");
  const path = assertionsPathOf(draft);
  if (!response || !path) return null;
  const all = assertionsReadOff(response);
  const sought = word.toLowerCase();
  const matching = all.filter(
    ({ label, assertion }) =>
      label.toLowerCase().includes(sought) || JSON.stringify(assertion).toLowerCase().includes(sought),
  );
  const list = (valueAt(draft, path) as Assertion[] | undefined) ?? [];
  return (
    <details>
      <summary>Add assertion from this</summary>
      <div className="field">
        <label htmlFor={id}>Find a value</label>
        <input id={id} type="search" value={word} onChange={({ target }) => setWord(target.value)} />
      </div>
      <ul className="plain" aria-label="Values of the response">
        {matching.slice(0, OFFERED_MAX).map(({ label, assertion }) => (
          <li key={label}>
            <button
              type="button"
              className="quiet-button"
              aria-label={`Add assertion: ${label}`}
              disabled={list.some((one) => JSON.stringify(one) === JSON.stringify(assertion))}
              onClick={() => change([...path, list.length], assertion)}
            >
              Add
            </button>{" "}
            <Text>{`${label}: ${"value" in assertion ? valueText(assertion.value) : ""}`}</Text>
          </li>
        ))}
      </ul>
      {matching.length > OFFERED_MAX && (
        <p className="quiet">and {numberText(matching.length - OFFERED_MAX)} more: find them by a word</p>
      )}
    </details>
  );
}
