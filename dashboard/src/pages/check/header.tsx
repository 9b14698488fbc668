/** What stands above all tabs of a check: how it stands and since when, its target, labels, and when it runs next and where. */
import {
  type CheckId,
  checkTypeTitle,
  type Expectation,
  phaseMs,
  pushedTraitsOf,
  slotAtOrAfter,
  staggerMs,
} from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { alertsQuery } from "../../api/queries/alerts.ts";
import { summaryQuery } from "../../api/queries/summary.ts";
import { rowsOf } from "../../status/check-rows.ts";
import { type CheckState, checkStates } from "../../status/words.ts";
import { Since, useNowMs } from "../../time/ago.tsx";
import { countText, durationText } from "../../time/format.ts";
import { Copy } from "../../ui/copy.tsx";
import { HeldBackText } from "../../ui/held-back.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";
import { sinceOf } from "./since.ts";
import type { LoadedCheck } from "./tab-props.ts";

/** Shows the header. */
export function CheckHeader({
  check,
  results,
  state,
  nameOf,
}: LoadedCheck & { state: CheckState; nameOf(locationId: string): string }) {
  const summary = useQuery(summaryQuery).data;
  const row = rowsOf(summary ?? []).find(({ id }) => id === check.id);
  const since = state === "unhealthy" ? sinceOf(results) : undefined;
  const target = targetOf(check.configJson);
  const pushed = pushedTraitsOf(check.type);
  return (
    <>
      <p className="facts">
        <State state={checkStates[state]} />
        {since && (
          <span className="lasting">
            {since.isLonger ? "for more than " : "for "}
            <Since at={since.at} />
          </span>
        )}
        {pushed ? (
          <span>{expectedText(pushed.expectationOf(check.configJson))}</span>
        ) : (
          <NextRun check={check} nameOf={nameOf} />
        )}
      </p>
      <p className="facts">
        <span className="tag">{checkTypeTitle(check.type)}</span>
        {target !== undefined && (
          <>
            <Target text={target} /> <Copy text={target} label="Copy target" />
          </>
        )}
        {(row?.labels ?? []).map((label) => (
          <span key={label} className="tag">
            <Text>{label}</Text>
          </span>
        ))}
        {row?.project != null && (
          <span className="tag">
            <Text>{`Managed by project ${row.project}`}</Text>
          </span>
        )}
      </p>
      <Dependencies check={check} />
      <HeldAlert check={check} />
    </>
  );
}

/** Shows the checks that this one depends on. */
function Dependencies({ check: { dependsOn = [] } }: { check: LoadedCheck["check"] }) {
  const rows = rowsOf(useQuery(summaryQuery).data ?? []);
  if (dependsOn.length === 0) return null;
  return (
    <p className="facts">
      <span>Depends on</span>
      {dependsOn.map((one) => (
        <PageLink key={one} page="check" parameters={{ id: one }}>
          <Text>{rows.find((row) => row.id === one)?.name ?? one}</Text>
        </PageLink>
      ))}
    </p>
  );
}

/** Shows why nobody is notified of an open alert of the check: another check that fails, or a location that can't reach its targets. */
function HeldAlert({ check: { id } }: { check: LoadedCheck["check"] }) {
  const alerts = useQuery(alertsQuery({ checkId: id })).data?.instances;
  const held = alerts?.find(
    ({ state, heldBack }) => heldBack && (state === "active" || state === "acknowledged"),
  );
  if (!held?.heldBack) return null;
  return (
    <p className="facts">
      <span>Alert</span>
      <span>
        <HeldBackText heldBack={held.heldBack} />
      </span>
    </p>
  );
}

/** Shows a target; as a link only when it can be opened by nothing but http. */
function Target({ text }: { text: string }) {
  const isWeb = /^https?:\/\//i.test(text) && URL.canParse(text);
  if (!isWeb) return <Text>{text}</Text>;
  return (
    <a href={text} target="_blank" rel="noreferrer noopener" className="target">
      <Text>{text}</Text>
    </a>
  );
}

/** Returns what a check looks at, as its configuration has it; undefined when that is in a script. */
function targetOf({ url, endpoint }: Record<string, unknown>): string | undefined {
  return [url, endpoint].find((one) => typeof one === "string");
}

/** Says when the reports of a check are expected that reports by itself, and how late they may be. */
function expectedText(expectation: Expectation): string {
  const grace = `${durationText(expectation.graceSeconds * 1000)} of grace`;
  if ("periodSeconds" in expectation)
    return `Expects a report every ${durationText(expectation.periodSeconds * 1000)}, with ${grace}`;
  const { expression, timezone } = expectation.cron;
  return `Expects a report by ${expression} (${timezone}), with ${grace}`;
}

/** Says when and where the check runs next, computed from its slot grid. */
function NextRun({ check, nameOf }: { check: LoadedCheck["check"]; nameOf(locationId: string): string }) {
  const nowMs = useNowMs();
  const { locations, frequencySeconds } = check;
  const periodMs = frequencySeconds * 1000;
  const every = `Every ${durationText(periodMs)} from ${countText(locations.length, "location")}`;
  if (!check.enabled) return <span>{every}, paused</span>;
  const phase = phaseMs(check.id as CheckId, frequencySeconds);
  const runs = locations.map((id, i) => {
    const stagger = staggerMs(i, locations.length, periodMs);
    return { id, atMs: slotAtOrAfter(nowMs - stagger, periodMs, phase) + stagger };
  });
  const next = runs.reduce<(typeof runs)[number] | undefined>(
    (first, run) => (first && first.atMs <= run.atMs ? first : run),
    undefined,
  );
  if (!next) return <span>{every}</span>;
  return (
    <span className="next-run">
      {every}, next: <Text>{nameOf(next.id)}</Text>{" "}
      <time dateTime={new Date(next.atMs).toISOString()}>
        in {durationText(Math.max(0, Math.ceil((next.atMs - nowMs) / 1000) * 1000))}
      </time>
    </span>
  );
}
