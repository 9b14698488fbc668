/** Which share of a location's runners is taken: as a bar, with the words that the command line has, too. */
import { CAPACITY_WARNING_BASIS_POINTS, type CapacityFigures, shareText } from "@svc/contract";
import { Meter } from "./meter.tsx";

const WHOLE_BASIS_POINTS = 10_000;

/** Shows the share, or why there is none. @param props.name the location's */
export function CapacityShare({ name, figures }: { name: string; figures: CapacityFigures }) {
  if (figures.shareBasisPoints === null) return <span className="quiet">{shareText(figures)}</span>;
  return (
    <Meter
      label={`Taken of the runners of ${name}`}
      share={figures.shareBasisPoints / WHOLE_BASIS_POINTS}
      high={CAPACITY_WARNING_BASIS_POINTS / WHOLE_BASIS_POINTS}
    >
      {shareText(figures)}
    </Meter>
  );
}
