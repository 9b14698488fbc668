/** The wall: how the checks stand, for a screen that hangs where everybody sees it and nobody touches it. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useSearch } from "wouter";
import { useLocationNames } from "../../api/location-names.ts";
import { overviewQuery } from "../../api/queries/overview.ts";
import { summaryQuery } from "../../api/queries/summary.ts";
import { Live, useLiveness } from "../../live/live.tsx";
import { preferences, timeZone } from "../../preferences/preferences.ts";
import { Connection } from "../../shell/connection.tsx";
import { useSession } from "../../shell/session.tsx";
import { TabState } from "../../shell/tab-state.tsx";
import { type CheckRow, rowsOf } from "../../status/check-rows.ts";
import { headlineOf } from "../../status/headline.ts";
import { useNowMs } from "../../time/ago.tsx";
import { durationText, timeText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { useBurnInShift } from "./burn-in.ts";
import { GROUPINGS, groupsOf } from "./layout.ts";
import { WallTiles } from "./tiles.tsx";
import "./wall.css";

/** Shortest time for which a page of tiles stays, in seconds. */
const ROTATE_MIN_SECONDS = 5;

/** Shows the wall. `?label=team:api` filters, `?group=label`, `location` or `type` groups, `?rotate=30` shows further pages in turn. */
export default function Wall() {
  const { user, team } = useSession();
  const isStale = useLiveness().state === "stale";
  const search = new URLSearchParams(useSearch());
  const label = search.get("label");
  const summary = useQuery(summaryQuery);
  const rows = summary.data && rowsOf(summary.data).filter(({ labels }) => !label || labels.includes(label));
  const shifted = useBurnInShift();
  useDark();
  return (
    <main ref={shifted} className={isStale ? "wall stale" : "wall"}>
      <Page
        title={rows ? headlineOf(countsOf(rows)) : "Wall"}
        actions={<Present atMs={summary.dataUpdatedAt} />}
      >
        <Loaded query={summary}>{() => <Checks rows={rows ?? []} search={search} />}</Loaded>
      </Page>
      <Live owner={`${user.id} ${team.id}`} />
      <TabState />
    </main>
  );
}

function Checks({ rows, search }: { rows: readonly CheckRow[]; search: URLSearchParams }) {
  const names = useLocationNames();
  const overview = useQuery(overviewQuery);
  const grouping = GROUPINGS.find((one) => one === search.get("group"));
  const rotateSeconds = Number(search.get("rotate") ?? 0);
  if (rows.length === 0)
    return <Empty>No check {search.get("label") ? "has this label" : "is there"} yet.</Empty>;
  return (
    <WallTiles
      groups={groupsOf(rows, grouping, (id) => names.get(id) ?? id)}
      sinceOf={new Map(overview.data?.failing.map(({ id, sinceAt }) => [id as string, sinceAt]))}
      rotateMs={rotateSeconds > 0 ? Math.max(rotateSeconds, ROTATE_MIN_SECONDS) * 1000 : undefined}
    />
  );
}

/** Shows the time of day with its zone, whether the wall is live, and how old what it shows is. */
function Present({ atMs }: { atMs: number }) {
  const nowMs = useNowMs();
  const [readMs, setReadMs] = useState(nowMs);
  // By the service's clock, which the reader's may differ from.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer counts from the present of its arrival
  useEffect(() => setReadMs(nowMs), [atMs]);
  const ageMs = Math.max(0, Math.floor((nowMs - readMs) / 1000) * 1000);
  return (
    <p className="wall-present">
      <Connection />
      <span className="quiet">Updated {ageMs === 0 ? "just now" : `${durationText(ageMs)} ago`}</span>
      <span>
        <span className="wall-clock">{timeText(nowMs)}</span> <span className="quiet">{timeZone()}</span>
      </span>
    </p>
  );
}

/** Shows the page in dark colours, unless the reader chose light ones. */
function useDark(): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    if (preferences().theme === "system") dataset.theme = "dark";
    return () => {
      dataset.theme = preferences().theme;
    };
  }, []);
}

function countsOf(rows: readonly CheckRow[]) {
  const count = (state: CheckRow["state"]) => rows.filter((row) => row.state === state).length;
  return {
    total: rows.length,
    healthy: count("healthy"),
    unhealthy: count("unhealthy"),
    unknown: count("unknown"),
    disabled: count("paused"),
  };
}
