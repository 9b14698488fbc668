/** What an SLO does not count: slots without a result, and times within maintenance windows. */
import type { SloSeries } from "../../api/queries/slos.ts";
import { durationText, instantText, numberText } from "../../time/format.ts";

/** Maintenance times that are listed, the newest; the others are counted. */
const LISTED = 5;

/** Shows what is left out, in sentences. */
export function LeftOut({ series: { coverage, maintenance } }: { series: SloSeries }) {
  const totalMs = maintenance.reduce((sum, { from, to }) => sum + Date.parse(to) - Date.parse(from), 0);
  return (
    <>
      <p>{coverageText(coverage)}</p>
      {maintenance.length === 0 ? (
        <p>No maintenance window held in this window.</p>
      ) : (
        <>
          <p>Maintenance held for {durationText(totalMs)}; results of that time are left out:</p>
          <ul>
            {maintenance
              .toReversed()
              .slice(0, LISTED)
              .map(({ from, to }) => (
                <li key={from}>
                  <time dateTime={from}>{instantText(from)}</time> for{" "}
                  {durationText(Date.parse(to) - Date.parse(from))}
                </li>
              ))}
          </ul>
          {maintenance.length > LISTED && (
            <p className="quiet">and {numberText(maintenance.length - LISTED)} times before these</p>
          )}
        </>
      )}
    </>
  );
}

function coverageText(coverage: SloSeries["coverage"]): string {
  if (coverage === null) return "Requests to a third party are counted as they happen; none is expected.";
  const { expected, missing } = coverage;
  if (expected === 0) return "No slot was due yet.";
  if (missing === 0) return `Each of the ${numberText(expected)} slots that were due has a result.`;
  const share = (missing / expected) * 100;
  const shareText = share < 0.01 ? "less than 0.01" : share.toFixed(2);
  return `${shareText} % of the slots (${numberText(missing)} of ${numberText(expected)}) have no result and count neither way.`;
}
