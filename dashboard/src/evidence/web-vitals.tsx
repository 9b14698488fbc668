/** The web vitals of a page as figures, each judged in words. */
import type { WebVitals } from "@svc/contract";
import { Figures, FigureValue } from "../ui/figure-value.tsx";
import { State } from "../ui/state.tsx";
import { judgeVitals } from "./vitals.ts";

/** Shows the vitals. */
export function VitalFigures({ vitals }: { vitals: WebVitals }) {
  return (
    <Figures>
      {judgeVitals(vitals).map(({ short, name, text, state }) => (
        <FigureValue
          key={short}
          title={`${name} (${short})`}
          note={state ? <State state={state} /> : "not measured"}
        >
          {text}
        </FigureValue>
      ))}
    </Figures>
  );
}
