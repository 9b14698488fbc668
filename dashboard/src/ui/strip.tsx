/** Row of marks for a check's newest results: a mark's height, style and title show its status, the label counts those not successful. */

import type { Result } from "@svc/contract";
import { resultStates } from "../status/words.ts";

/** Shows one mark per result, from left to right in the order of `results`. */
export function Strip({ results }: { results: readonly { status: Result["status"]; slotAt: string }[] }) {
  const failed = results.filter(({ status }) => status !== "success").length;
  const words = `Newest ${results.length} results: ${failed} not successful`;
  return (
    <svg
      className="strip"
      role="img"
      aria-label={words}
      viewBox={`0 0 ${Math.max(1, results.length) * 6} 18`}
    >
      {results.map(({ status, slotAt }, i) => {
        const isGood = status === "success";
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: several locations share a slot; the place in the row is the mark's identity
            key={`${slotAt} ${i}`}
            className={resultStates[status].mark}
            x={i * 6}
            y={isGood ? 8 : 0}
            width={4}
            height={isGood ? 10 : 18}
          >
            <title>{`${resultStates[status].word}, ${slotAt}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
