/** How the time of a run was spent, beside what its phases usually take. */
import type { resultRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { successesBeforeQuery } from "../../api/queries/history.ts";
import type { Answer } from "../../api/request.ts";
import { PHASES, phaseText } from "../../evidence/phases.ts";
import { durationText } from "../../time/format.ts";
import { Panel } from "../../ui/panel.tsx";
import { usualTimesOf } from "./usual-times.ts";

type Shown = Answer<typeof resultRoutes.get>["result"];

/** Shows the phases as bars on one scale. */
export function Timing({ result }: { result: Shown }) {
  const { timing, responseTimeMs, checkId, id: resultId, locationId } = result;
  const before = useQuery(successesBeforeQuery(checkId, { resultId, locationId })).data;
  const usual = before && usualTimesOf(before.map((one) => one.timing));
  let beginMs = 0;
  const phases = PHASES.map(([name, field, absent]) => {
    const ms = timing[field];
    const phase = { name, ms, beginMs, absent, usualMs: usual?.[field] };
    beginMs += ms ?? 0;
    return phase;
  });
  const endMs = (phase: (typeof phases)[number]) => phase.beginMs + (phase.usualMs ?? 0);
  const scaleMs = Math.max(beginMs, timing.totalMs, 1, ...phases.map(endMs));
  const bar = (className: string, atMs: number, ms: number) => (
    <rect
      className={className}
      x={(atMs / scaleMs) * 100}
      y={className === "usual" ? 0 : 2}
      width={Math.max(0.4, (ms / scaleMs) * 100)}
      height={className === "usual" ? 10 : 6}
    />
  );
  return (
    <Panel title="Time">
      <figure aria-label="Timing">
        <figcaption>
          {durationText(responseTimeMs)} in all
          {usual && (
            <span className="quiet">, pale: the median of the last {before.length} successes here</span>
          )}
        </figcaption>
        <dl className="waterfall">
          {phases.map(({ name, ms, beginMs: at, absent, usualMs }) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
                  {usualMs !== undefined && bar("usual", at, usualMs)}
                  {ms !== undefined && bar("spent", at, ms)}
                </svg>
                <span>
                  {ms === undefined ? absent : phaseText(ms)}
                  {usualMs !== undefined && (
                    <span className="quiet">{`, usually ${phaseText(usualMs)}`}</span>
                  )}
                </span>
              </dd>
            </Fragment>
          ))}
        </dl>
      </figure>
    </Panel>
  );
}
