/** The wall: how the checks stand, for a screen that hangs where everybody sees it and nobody touches it. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocationNames } from "../../api/location-names.ts";
import { overviewQuery } from "../../api/queries/overview.ts";
import { summaryQuery } from "../../api/queries/summary.ts";
import { Live, useLiveness } from "../../live/live.tsx";
import { preferences, timeZone } from "../../preferences/preferences.ts";
import { Connection } from "../../shell/connection.tsx";
import { TabState } from "../../shell/tab-state.tsx";
import { type CheckRow, rowsOf } from "../../status/check-rows.ts";
import { headlineOf } from "../../status/headline.ts";
import { useNowMs } from "../../time/ago.tsx";
import { durationText, instantText, timeText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { useBurnInShift } from "./burn-in.ts";
import { type Grouping, groupsOf } from "./layout.ts";
import { WallTiles } from "./tiles.tsx";
import "./wall.css";

/** Shortest time for which a page of tiles stays, in seconds. */
const ROTATE_MIN_SECONDS = 5;
/** Time before the end of a display link from which on the wall says so. */
const ENDS_SOON_MS = 14 * 24 * 60 * 60 * 1000;

/** Which checks a wall shows, and how. */
export interface WallView {
  label: string | null;
  groupBy: Grouping | null;
  /** null: further pages are not shown. */
  rotateSeconds: number | null;
}

/**
 * Shows the wall.
 * @param props.owner names the person and team, or the display link, whose wall it is
 * @param props.endsAt end of the display link, ISO 8601; undefined: a person's wall, whose tiles lead to the checks
 */
export function Wall({ owner, view, endsAt }: { owner: string; view: WallView; endsAt?: string }) {
  const isStale = useLiveness().state === "stale";
  const { label } = view;
  const summary = useQuery(summaryQuery);
  const rows = summary.data && rowsOf(summary.data).filter(({ labels }) => !label || labels.includes(label));
  const shifted = useBurnInShift();
  useDark();
  return (
    <main ref={shifted} className={isStale ? "wall stale" : "wall"}>
      <Page
        title={rows ? headlineOf(countsOf(rows)) : "Wall"}
        actions={<Present atMs={summary.dataUpdatedAt} endsAt={endsAt} />}
      >
        <Loaded query={summary}>
          {() => <Checks rows={rows ?? []} view={view} hasLinks={endsAt === undefined} />}
        </Loaded>
      </Page>
      <Live owner={owner} />
      <TabState />
    </main>
  );
}

function Checks({
  rows,
  view: { label, groupBy, rotateSeconds },
  hasLinks,
}: {
  rows: readonly CheckRow[];
  view: WallView;
  hasLinks: boolean;
}) {
  const names = useLocationNames();
  const overview = useQuery(overviewQuery);
  if (rows.length === 0) return <Empty>No check {label ? "has this label" : "is there"} yet.</Empty>;
  return (
    <WallTiles
      groups={groupsOf(rows, groupBy ?? undefined, (id) => names.get(id) ?? id)}
      sinceOf={new Map(overview.data?.failing.map(({ id, sinceAt }) => [id as string, sinceAt]))}
      hasLinks={hasLinks}
      rotateMs={rotateSeconds ? Math.max(rotateSeconds, ROTATE_MIN_SECONDS) * 1000 : undefined}
    />
  );
}

/** Shows the time of day with its zone, whether the wall is live, how old what it shows is, and when its link is about to end. */
function Present({ atMs, endsAt }: { atMs: number; endsAt: string | undefined }) {
  const nowMs = useNowMs();
  const [readMs, setReadMs] = useState(nowMs);
  // By the service's clock, which the reader's may differ from.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer counts from the present of its arrival
  useEffect(() => setReadMs(nowMs), [atMs]);
  const ageMs = Math.max(0, Math.floor((nowMs - readMs) / 1000) * 1000);
  return (
    <p className="wall-present">
      {endsAt !== undefined && Date.parse(endsAt) - nowMs < ENDS_SOON_MS && (
        <span>This display ends {instantText(endsAt)}</span>
      )}
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
