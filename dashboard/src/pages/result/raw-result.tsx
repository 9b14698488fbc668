/** A result as the API answers it, as JSON: put into the page only when somebody opens it. */
import type { resultRoutes } from "@svc/contract";
import { useMemo, useState } from "react";
import type { Answer } from "../../api/request.ts";
import { Copy } from "../../ui/copy.tsx";
import { Panel } from "../../ui/panel.tsx";
import { plainText } from "../../ui/text.tsx";
import { piecesOf } from "./text-pieces.ts";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the result, folded. The browser lays out only the pieces in sight, so that a long one does not hold the page. */
export function RawResult({ result }: { result: Shown }) {
  const [isOpen, setIsOpen] = useState(false);
  const json = () => JSON.stringify(result, undefined, 2);
  return (
    <Panel title="Raw result">
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary>Show as JSON</summary>
        {isOpen && <Pieces result={result} />}
      </details>
      <p className="more">
        <Copy label="Copy JSON" text={json} />
      </p>
    </Panel>
  );
}

function Pieces({ result }: { result: Shown }) {
  const pieces = useMemo(() => piecesOf(plainText(JSON.stringify(result, undefined, 2))), [result]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label="Result as JSON" tabIndex={0}>
      <pre className="raw">
        {pieces.map(({ at, text }) => (
          <span key={at}>{text}</span>
        ))}
      </pre>
    </section>
  );
}
