/** Says in words what the marks of a slot strip mean, and holds the textures that they are filled with. */
import { type CellShape, HEIGHT } from "./shapes.ts";

const MEANINGS: readonly (readonly [CellShape, string])[] = [
  ["success", "success"],
  ["failure", "failure"],
  ["error", "error"],
  ["timeout", "timeout"],
  ["missing", "missing"],
  ["pending", "pending"],
];

/** Shows the legend. */
export function SlotLegend() {
  return (
    <>
      <svg width="0" height="0" aria-hidden="true" className="hidden">
        <defs>
          <pattern id="slot-hatched" width="4" height="4" patternUnits="userSpaceOnUse">
            <path className="hatch" d="M0 4 4 0M0 0l4 4" />
          </pattern>
          <pattern id="slot-striped" width="4" height="4" patternUnits="userSpaceOnUse">
            <path className="stripe" d="M0 2h4" strokeWidth="2" />
          </pattern>
        </defs>
      </svg>
      <ul className="legend">
        {MEANINGS.map(([shape, word]) => (
          <li key={shape}>
            <svg aria-hidden="true" viewBox={`0 0 12 ${HEIGHT}`}>
              <path
                className={`slot slot-${shape}`}
                d={
                  shape === "success"
                    ? `M1 14h10v${HEIGHT - 15}h-10z`
                    : shape === "failure"
                      ? "M1 1l5 8 5-8v26h-10z"
                      : "M1 1h10v26h-10z"
                }
              />
            </svg>
            {word}
          </li>
        ))}
        <li>line only: disabled, in maintenance, or not made yet</li>
      </ul>
    </>
  );
}
