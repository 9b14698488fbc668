/** A script that was generated, before anybody uses it: how its try went, its steps, its text and pictures of the page. */
import type { GeneratedScript } from "@svc/contract";
import { ownPath } from "../../../evidence/own-path.ts";
import { State } from "../../../ui/state.tsx";
import { Text, Verbatim } from "../../../ui/text.tsx";
import { verificationStates } from "./words.ts";

/** Shows it. @param props.onUse puts the script into the form */
export function GeneratedOutcome({ result, onUse }: { result: GeneratedScript; onUse(): void }) {
  const { script, steps, model, verified } = result;
  return (
    <section aria-label="Generated script">
      <p className="lead">
        <State state={verificationStates[verified.status]} />
      </p>
      {verified.problem !== null && (
        <p className={verified.status === "failed" ? "problem" : "quiet"}>
          <Text>{verified.problem}</Text>
        </p>
      )}
      {verified.notes.length > 0 && (
        <ul className="plain" aria-label="Notes of the run">
          {numbered(verified.notes).map(({ at, value }) => (
            <li key={at} className="quiet">
              <Text>{value}</Text>
            </li>
          ))}
        </ul>
      )}
      <h3>Its steps</h3>
      {steps.length === 0 ? (
        <p className="quiet">It marks none.</p>
      ) : (
        <ol aria-label="Steps of the generated script">
          {numbered(steps).map(({ at, value }) => (
            <li key={at}>
              <Text>{value}</Text>
            </li>
          ))}
        </ol>
      )}
      <Verbatim label="Text of the generated script">{script}</Verbatim>
      {verified.screenshots.length > 0 && (
        <details>
          <summary>Pictures ({verified.screenshots.length})</summary>
          <ul className="plain" aria-label="Pictures of the try">
            {verified.screenshots.map(({ step, path }) => (
              <li key={path}>
                <p>
                  <Text>{step ?? "End of the run"}</Text>
                </p>
                <img src={ownPath(path)} loading="lazy" alt={`Page at the end of ${step ?? "the run"}`} />
              </li>
            ))}
          </ul>
        </details>
      )}
      <p className="hint">
        Written by <Text>{model}</Text>. Read it before you use it: a check runs without the limits that it
        was tried with.
      </p>
      <button type="button" onClick={onUse}>
        Use this script
      </button>
    </section>
  );
}

function numbered(values: readonly string[]): { at: number; value: string }[] {
  return values.map((value, at) => ({ at, value }));
}
