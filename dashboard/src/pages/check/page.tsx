import { useQuery } from "@tanstack/react-query";
import { useParams, useSearchParams } from "wouter";
import { useLocationNames } from "../../api/location-names.ts";
import { checkQuery } from "../../api/queries/checks.ts";
import { locationsQuery } from "../../api/queries/locations.ts";
import { isNotFound, NotFound } from "../../shell/not-found.tsx";
import type { CheckState } from "../../status/words.ts";
import { Page } from "../../ui/page.tsx";
import { Loaded } from "../../ui/panel.tsx";
import { RangePicker } from "../../ui/range-picker.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { Together } from "../../ui/together.tsx";
import { useRange } from "../../ui/use-range.ts";
import { CheckActions } from "./check-actions.tsx";
import { CheckHeader } from "./header.tsx";
import type { LoadedCheck } from "./tab-props.ts";
import { TABS } from "./tabs.tsx";

/** Heights of the heading with the facts below it, and of the panels of the first tab. */
const SKELETON_PX = [220, 96, 202, 484];

/** Shows the check that the address names. */
export default function CheckPage() {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery(checkQuery(id));
  const locations = useQuery(locationsQuery);
  if (isNotFound(query.error)) return <NotFound title="Check not found" />;
  return (
    <Together queries={[query, locations]} heightsPx={SKELETON_PX}>
      <Loaded query={query}>{(loaded) => <CheckDetails loaded={loaded} />}</Loaded>
    </Together>
  );
}

function CheckDetails({ loaded: { check, results } }: { loaded: LoadedCheck }) {
  const [search, setSearch] = useSearchParams();
  const names = useLocationNames();
  const range = useRange();
  const state = stateOf(check, results);
  const nameOf = (id: string) => names.get(id) ?? id;
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
      <CheckHeader check={check} results={results} state={state} nameOf={nameOf} />
      <div className="row">
        <RangePicker page={range} />
      </div>
      <Tabs name="Check" tabs={TABS} chosen={chosen.key} onChoose={choose}>
        <chosen.Content check={check} results={results} range={range} nameOf={nameOf} />
      </Tabs>
    </Page>
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
