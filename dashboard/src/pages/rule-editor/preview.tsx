/** What the rule of a form would have done over the last days, drawn on the slots of its check. */
import { type alertRuleRoutes, previewAlertRuleSchema } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocationNames } from "../../api/location-names.ts";
import { checkQuery } from "../../api/queries/checks.ts";
import { type Answer, request } from "../../api/request.ts";
import { positionOf, WIDTH } from "../../slots/shapes.ts";
import { SlotsFigure } from "../../slots/slots-figure.tsx";
import { countText, durationText, instantText } from "../../time/format.ts";
import { Choice } from "../../ui/choice.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import { useRested } from "../../ui/use-rested.ts";

type Preview = Answer<typeof alertRuleRoutes.preview>;

const RANGES = [
  ["1d", "Last day"],
  ["7d", "Last 7 days"],
  ["30d", "Last 30 days"],
] as const;
/** Cells of the strip. */
const CELLS = 200;
/** Firings that are listed; the strip shows all. */
const LISTED_MAX = 20;

/** Shows the preview. */
export function RulePreview({ draft }: { draft: Readonly<Record<string, unknown>> }) {
  const [range, setRange] = useState("7d");
  const { checkId, conditions, confirm, recovery } = draft;
  const asked = useRested(JSON.stringify({ checkId, conditions, confirm, recovery, range }));
  const body = JSON.parse(asked) as Record<string, unknown>;
  const isComplete = previewAlertRuleSchema.safeParse(body).success;
  const preview = useQuery({
    queryKey: ["rule preview", asked],
    queryFn: () =>
      request<typeof alertRuleRoutes.preview>("POST", "/api/alerts/preview", { body: body as never }),
    enabled: isComplete,
    staleTime: 60_000,
    placeholderData: (before: Preview | undefined) => before,
  });
  return (
    <section className="panel" aria-label="Preview">
      <div className="row">
        <h2>Preview</h2>
        <Choice label="Range" value={range} options={RANGES} onChoose={setRange} />
      </div>
      {!isComplete ? (
        <p className="hint">
          Choose a check, and say when the rule fires: what it would have done stands here then.
        </p>
      ) : preview.error ? (
        <p role="alert" className="refusal">
          {preview.error.message}
        </p>
      ) : preview.data ? (
        <Judged preview={preview.data} checkId={String(checkId)} days={Number.parseInt(range, 10)} />
      ) : (
        <p className="loading" aria-busy="true">
          Judging stored results …
        </p>
      )}
    </section>
  );
}

function Judged({ preview, checkId, days }: { preview: Preview; checkId: string; days: number }) {
  const check = useQuery(checkQuery(checkId)).data?.check;
  const names = useLocationNames();
  const { from, to, wouldFire, notReplayable, unconfirmed } = preview;
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  return (
    <>
      <p className="lead" role="status">
        {summaryOf(preview, days)}
      </p>
      {unconfirmed > 0 && (
        <p>
          {countText(unconfirmed, "further failure")} would have been confirmed by a second run first, which
          never took place.
        </p>
      )}
      {notReplayable.map(({ type, reason }) => (
        <p key={type}>
          <code>{type}</code> is not counted: {reason}.
        </p>
      ))}
      {check && (
        <>
          <Firings preview={preview} />
          <SlotsFigure
            check={check}
            range={{ range: { fromMs, toMs }, fromMs, toMs, setRange: () => undefined }}
            cells={CELLS}
            nameOf={(id) => names.get(id) ?? id}
          />
        </>
      )}
      {wouldFire.length > 0 && (
        <Table
          name="Would have fired"
          rows={wouldFire.slice(-LISTED_MAX).reverse()}
          keyOf={({ startedAt }) => startedAt}
          columns={[
            {
              title: "From",
              cell: ({ startedAt }) => <time dateTime={startedAt}>{instantText(startedAt)}</time>,
            },
            {
              title: "For",
              cell: ({ startedAt, endedAt }) =>
                endedAt === null
                  ? `${durationText(toMs - Date.parse(startedAt))} so far`
                  : durationText(Date.parse(endedAt) - Date.parse(startedAt)),
            },
            { title: "Why", cell: ({ evidence }) => <Text>{evidence.summary}</Text> },
          ]}
        />
      )}
    </>
  );
}

/** Draws when the rule would have been firing, above the slots and on their scale. */
function Firings({ preview: { from, to, wouldFire } }: { preview: Preview }) {
  const scale = { fromMs: Date.parse(from), toMs: Date.parse(to), cellMs: 0 };
  return (
    <svg
      className="firings"
      role="img"
      aria-label={`Firing: ${countText(wouldFire.length, "time")}`}
      viewBox={`0 0 ${WIDTH} 8`}
      preserveAspectRatio="none"
    >
      {wouldFire.map(({ startedAt, endedAt }) => {
        const x = positionOf(Date.parse(startedAt), scale);
        const end = positionOf(Date.parse(endedAt ?? to), scale);
        return <rect key={startedAt} x={x} width={Math.max(2, end - x)} y={0} height={8} />;
      })}
    </svg>
  );
}

function summaryOf({ results, count, durationMs, notReplayable }: Preview, days: number): string {
  const span = days === 1 ? "day" : `${days} days`;
  if (results === 0) return `In the last ${span} there are no results to judge.`;
  if (count === 0) return `In the last ${span} this would not have fired.`;
  const atMost = notReplayable.length > 0 ? "at most " : "";
  return `In the last ${span} this would have fired ${atMost}${countText(count, "time")}, ${durationText(durationMs)} in all.`;
}
