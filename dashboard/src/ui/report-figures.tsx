/** Figures of reports as people read them. */
import type { ReportFigures } from "@svc/contract";
import { numberText, percentText } from "../time/format.ts";
import type { Column } from "./table.tsx";

const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });

/** Returns a month such as `2026-10` as people write it. */
export function monthText(month: string): string {
  return MONTH.format(Date.parse(`${month}-01T00:00:00Z`));
}

/** Shows a share of basis points; where there is none, says that nothing was measured. */
export function Share({ basisPoints }: { basisPoints: number | null }) {
  if (basisPoints === null) return <span className="quiet nowrap">not measured</span>;
  return <span className="nowrap">{percentText(basisPoints / 10_000)}</span>;
}

/** Columns of whatever has figures. */
export const FIGURE_COLUMNS: readonly Column<ReportFigures>[] = [
  {
    title: "Availability",
    cell: ({ availabilityBasisPoints }) => <Share basisPoints={availabilityBasisPoints} />,
  },
  {
    title: "Slots with a result",
    cell: ({ measuredBasisPoints, received, expected }) =>
      measuredBasisPoints === null ? (
        <span className="quiet">none was due</span>
      ) : (
        <span className="nowrap">
          {percentText(measuredBasisPoints / 10_000)}{" "}
          <span className="quiet">
            {numberText(received)} of {numberText(expected)}
          </span>
        </span>
      ),
  },
  { title: "Not successful", cell: ({ received, success }) => numberText(received - success) },
];
