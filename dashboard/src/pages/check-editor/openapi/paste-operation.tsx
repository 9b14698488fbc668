/** Fills the form of an http check from an operation of an OpenAPI document. */
import { useId, useState } from "react";
import { type OperationRequest, requestOfOperation } from "./operation.ts";
import { valueOfText } from "./read-text.ts";

/**
 * Shows where an operation is pasted.
 * @param props.url the check's URL so far
 * @param props.onRequest gets what the operation says, and a sentence about what was filled in
 */
export function PasteOperation({
  url,
  onRequest,
}: {
  url: string;
  onRequest: (request: OperationRequest, note: string) => void;
}) {
  const id = useId();
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const fill = async () => {
    const read = await valueOfText(text);
    const found = "problem" in read ? read : requestOfOperation(read.value, url);
    setProblem("problem" in found ? found.problem : undefined);
    if ("problem" in found) return;
    setText("");
    const missing = found.missing.length > 0 ? ` It does not say ${listOf(found.missing)}.` : "";
    onRequest(found.request, `Filled in from the operation.${missing}`);
  };
  return (
    <details>
      <summary>Fill in from an OpenAPI operation</summary>
      <div className="field">
        <label htmlFor={id}>OpenAPI operation</label>
        <textarea
          id={id}
          className="code"
          rows={8}
          spellCheck={false}
          value={text}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => setText(target.value)}
        />
        <p id={`${id}-hint`} className={problem === undefined ? "hint" : "problem"}>
          {problem ??
            "JSON or YAML: the operation alone, or under its method and path. It is read here and sent nowhere."}
        </p>
        <button type="button" className="quiet-button" onClick={() => void fill()}>
          Fill in
        </button>
      </div>
    </details>
  );
}

function listOf(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}
