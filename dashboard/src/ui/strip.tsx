/** Row of marks for a check's newest results: a mark's height, style and title show its status, the label counts those not successful. */

import type { Result } from "@svc/contract";
import { resultStates } from "../status/words.ts";

/** What a mark shows of a result. Lists that show how it went, and no single result, have its status alone. */
type Marked = Pick<Result, "status"> & { id?: string; slotAt?: string };

/**
 * Shows one mark per result, from left to right in the order of `results`.
 * @param props.onOpen called with the id of a result whose mark is pressed. Keyboards open results from the page of the check
 */
export function Strip({ results, onOpen }: { results: readonly Marked[]; onOpen?: (id: string) => void }) {
  const failed = results.filter(({ status }) => status !== "success").length;
  const words = `Newest ${results.length} results: ${failed} not successful`;
  return (
    <svg
      className={onOpen ? "strip pressable" : "strip"}
      role="img"
      aria-label={words}
      viewBox={`0 0 ${Math.max(1, results.length) * 6} 18`}
    >
      {results.map(({ id, status, slotAt }, i) => {
        const isGood = status === "success";
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: a way for the pointer; keyboards have the page of the check
          <rect
            key={id ?? i}
            onClick={onOpen && id !== undefined ? () => onOpen(id) : undefined}
            className={resultStates[status].mark}
            x={i * 6}
            y={isGood ? 8 : 0}
            width={4}
            height={isGood ? 10 : 18}
          >
            <title>{[resultStates[status].word, slotAt].filter(Boolean).join(", ")}</title>
          </rect>
        );
      })}
    </svg>
  );
}
