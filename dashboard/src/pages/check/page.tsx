/** A check: how it stands and from where it runs, and tabs of what was: slots, response times, results, alerts, settings. */
import { type CheckId, phaseMs, slotAtOrAfter } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useParams, useSearchParams } from "wouter";
import { useLocationNames } from "../../api/location-names.ts";
import { checkQuery } from "../../api/queries/checks.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import { type CheckState, checkStates } from "../../status/words.ts";
import { useNowMs } from "../../time/ago.tsx";
import { durationText, numberText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { RangePicker } from "../../ui/range-picker.tsx";
import { State } from "../../ui/state.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useRange } from "../../ui/use-range.ts";
import { CheckActions } from "./check-actions.tsx";
import type { LoadedCheck } from "./tab-props.ts";
import { TABS } from "./tabs.tsx";

/** Shows the check that the address names. */
export default function CheckPage() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery(checkQuery(id));
  if (isNotFound(query.error)) return <NotFound title="Check not found" />;
  return <Loaded query={query}>{(loaded) => <CheckDetails loaded={loaded} />}</Loaded>;
}

function CheckDetails({ loaded: { check, results } }: { loaded: LoadedCheck }) {
  const [search, setSearch] = useSearchParams();
  const names = useLocationNames();
  const range = useRange();
  const state = stateOf(check, results);
  const chosen = TABS.find(({ key }) => key === search.get("tab")) ?? TABS[0];
  const choose = (key: string) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      next.delete("tab");
      if (key !== TABS[0].key) next.set("tab", key);
      return next;
    });
  return (
    <Page title={check.name} actions={<CheckActions check={check} />}>
      <p className="facts">
        <State state={checkStates[state]} /> <NextRun check={check} />
      </p>
      <div className="row">
        <RangePicker page={range} />
      </div>
      <Tabs name="Check" tabs={TABS} chosen={chosen.key} onChoose={choose}>
        <chosen.Content check={check} results={results} range={range} nameOf={(id) => names.get(id) ?? id} />
      </Tabs>
    </Page>
  );
}

/** Says when the check runs next, computed from its slot grid. */
function NextRun({ check }: { check: LoadedCheck["check"] }) {
  const nowMs = useNowMs();
  const every = `Every ${durationText(check.frequencySeconds * 1000)} from ${numberText(check.locations.length)} ${check.locations.length === 1 ? "location" : "locations"}`;
  if (!check.enabled) return <span>{every}, paused</span>;
  const phase = phaseMs(check.id as CheckId, check.frequencySeconds);
  const nextMs = slotAtOrAfter(nowMs, check.frequencySeconds * 1000, phase);
  return (
    <span>
      {every}, next:{" "}
      <time dateTime={new Date(nextMs).toISOString()}>in {Math.ceil((nextMs - nowMs) / 1000)} s</time>
    </span>
  );
}

/** Returns the state of a check by the newest result of each of its locations. */
function stateOf(check: LoadedCheck["check"], results: LoadedCheck["results"]): CheckState {
  if (!check.enabled) return "paused";
  const newest = new Map<string, boolean>();
  for (const { locationId, status } of results)
    if (!newest.has(locationId)) newest.set(locationId, status === "success");
  if (newest.size === 0) return "unknown";
  return [...newest.values()].every(Boolean) ? "healthy" : "unhealthy";
}
