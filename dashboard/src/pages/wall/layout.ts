/** How the checks of a wall are grouped, ordered and laid out, so that the tiles are as large as fit. Pure. */
import type { WallGrouping } from "@svc/contract";
import type { CheckRow } from "../../status/check-rows.ts";
import type { CheckState } from "../../status/words.ts";

/** Most tiles on the screen at once. */
const TILES_MAX = 200;
/** Widths of tiles, CSS px: no larger than is read from afar, no smaller than holds a name. */
const WIDTH_MAX = 640;
const WIDTH_MIN = 150;
/** Height of a tile for its width; a low one holds name and state alone. */
const HEIGHT_SHARE = 0.36;
const HEIGHT_MIN = 64;
const GAP = 8;
/** Height of the heading of a group with its gap. */
const HEADING = 36;

/** Order of tiles: what needs somebody first. */
const ORDER: readonly CheckState[] = ["unhealthy", "unknown", "healthy", "paused"];

/** The ways to group a wall. */
export const GROUPINGS = ["label", "location", "type"] as const satisfies readonly WallGrouping[];
/** A way to group a wall. */
export type Grouping = (typeof GROUPINGS)[number];

/** Checks under one heading; of a wall that is not grouped, the only one, without a name. */
export interface WallGroup {
  name: string;
  rows: readonly CheckRow[];
}

/** Tiles as they are laid out: pages that are shown in turn. */
export interface WallLayout {
  columns: number;
  tileHeight: number;
  pages: readonly (readonly WallGroup[])[];
}

/** Returns the checks of a label in groups, those with failing checks first. Names of locations are given by `nameOf`. */
export function groupsOf(
  rows: readonly CheckRow[],
  grouping: Grouping | undefined,
  nameOf: (locationId: string) => string,
): WallGroup[] {
  const byName = new Map<string, CheckRow[]>();
  for (const row of [...rows].sort((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name)))
    for (const name of groupNames(row, grouping, nameOf))
      byName.set(name, [...(byName.get(name) ?? []), row]);
  return [...byName]
    .map(([name, members]) => ({ name, rows: members }))
    .sort((a, b) => firstRank(a) - firstRank(b) || a.name.localeCompare(b.name));
}

/** Lays groups out on a screen. @param size in CSS px, of the part that holds the tiles */
export function layOut(groups: readonly WallGroup[], size: { width: number; height: number }): WallLayout {
  const columnsMax = Math.max(1, Math.floor((size.width + GAP) / (WIDTH_MIN + GAP)));
  let layout: WallLayout | undefined;
  for (let columns = Math.max(1, Math.ceil(size.width / WIDTH_MAX)); columns < columnsMax; columns++) {
    layout = withColumns(groups, columns, size);
    if (layout.pages.length <= 1) return layout;
  }
  return withColumns(groups, columnsMax, size);
}

function withColumns(
  groups: readonly WallGroup[],
  columns: number,
  { width, height }: { width: number; height: number },
): WallLayout {
  const tileWidth = (width - (columns - 1) * GAP) / columns;
  const tileHeight = Math.max(HEIGHT_MIN, Math.round(tileWidth * HEIGHT_SHARE));
  const lineHeight = tileHeight + GAP;
  const pages: WallGroup[][] = [[]];
  let heightLeft = height;
  let tilesLeft = TILES_MAX;
  const turn = () => {
    pages.push([]);
    heightLeft = height;
    tilesLeft = TILES_MAX;
  };
  for (const { name, rows } of groups) {
    const headingHeight = name === "" ? 0 : HEADING;
    for (let begin = 0; begin < rows.length; ) {
      const isFresh = pages.at(-1)?.length === 0;
      const lines = Math.floor((heightLeft - headingHeight + GAP) / lineHeight);
      const fitting = Math.min(tilesLeft, lines * columns);
      if (fitting <= 0 && !isFresh) {
        turn();
        continue;
      }
      const part = rows.slice(begin, begin + Math.max(fitting, 1));
      pages.at(-1)?.push({ name, rows: part });
      begin += part.length;
      heightLeft -= headingHeight + Math.ceil(part.length / columns) * lineHeight;
      tilesLeft -= part.length;
      if (begin < rows.length) turn();
    }
  }
  return { columns, tileHeight, pages };
}

function groupNames(
  { labels, locations, type }: CheckRow,
  grouping: Grouping | undefined,
  nameOf: (locationId: string) => string,
): readonly string[] {
  switch (grouping) {
    case "label":
      return labels.length === 0 ? ["Without label"] : labels;
    case "location":
      return locations.map(nameOf);
    case "type":
      return [type];
    case undefined:
      return [""];
  }
}

function rankOf({ state }: CheckRow): number {
  return ORDER.indexOf(state);
}

function firstRank({ rows: [first] }: WallGroup): number {
  return first ? rankOf(first) : ORDER.length;
}
