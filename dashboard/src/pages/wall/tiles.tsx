/** The tiles of the wall: as large as fit, on as many pages as it takes. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { resultsInSightQuery } from "../../api/queries/summary.ts";
import type { CheckRow } from "../../status/check-rows.ts";
import { checkStates } from "../../status/words.ts";
import { Since } from "../../time/ago.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { State } from "../../ui/state.tsx";
import { Strip } from "../../ui/strip.tsx";
import { Text } from "../../ui/text.tsx";
import { layOut, type WallGroup } from "./layout.ts";

/** Checks whose results one request may ask for. */
const STRIPS_MAX = 100;

/**
 * Shows groups of checks.
 * @param props.sinceOf since when failing checks fail, by their ids
 * @param props.hasLinks true: a tile leads to its check
 * @param props.rotateMs time for which each page is shown; undefined: only the first is
 */
export function WallTiles({
  groups,
  sinceOf,
  hasLinks,
  rotateMs,
}: {
  groups: readonly WallGroup[];
  sinceOf: ReadonlyMap<string, string>;
  hasLinks: boolean;
  rotateMs: number | undefined;
}) {
  const { element, size } = useSize();
  const turn = useTurn(rotateMs);
  const { columns, tileHeight, pages } = layOut(groups, size);
  const shown = pages[turn % pages.length] ?? [];
  const ids = shown.flatMap(({ rows }) => rows.map(({ id }) => id));
  const results = useQuery(resultsInSightQuery([...new Set(ids)].slice(0, STRIPS_MAX))).data;
  const style = {
    gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
    gridAutoRows: `${tileHeight}px`,
  };
  return (
    <>
      <div ref={element} className="wall-tiles">
        {shown.map(({ name, rows }) => (
          <section key={name} aria-label={name || "Checks"}>
            {name !== "" && (
              <h2>
                <Text>{name}</Text>
              </h2>
            )}
            <ul style={style}>
              {rows.map((row) => (
                <Tile
                  key={row.id}
                  row={row}
                  sinceAt={sinceOf.get(row.id)}
                  results={results?.get(row.id)}
                  hasLink={hasLinks}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
      <p className="wall-rest quiet">
        {restText(groups, shown, { turn: turn % pages.length, pages: pages.length })}
      </p>
    </>
  );
}

function Tile({
  row: { id, name, state, failing, locations },
  sinceAt,
  results,
  hasLink,
}: {
  row: CheckRow;
  sinceAt: string | undefined;
  results: Parameters<typeof Strip>[0]["results"] | undefined;
  hasLink: boolean;
}) {
  return (
    <li className={`wall-tile ${state}`}>
      {hasLink ? (
        <PageLink page="check" parameters={{ id }}>
          <Text>{name}</Text>
        </PageLink>
      ) : (
        <strong>
          <Text>{name}</Text>
        </strong>
      )}
      <p>
        <State state={checkStates[state]} />
        {state === "unhealthy" && (
          <span className="quiet">
            {sinceAt !== undefined && (
              <>
                for <Since at={sinceAt} />,{" "}
              </>
            )}
            {failing.length} of {locations.length}
          </span>
        )}
      </p>
      {results && <Strip results={results} />}
    </li>
  );
}

/** Says which checks are not on the screen. */
function restText(
  groups: readonly WallGroup[],
  shown: readonly WallGroup[],
  { turn, pages }: { turn: number; pages: number },
): string {
  const visible = new Set(shown.flatMap(({ rows }) => rows));
  const hidden = new Set(groups.flatMap(({ rows }) => rows).filter((row) => !visible.has(row)));
  if (hidden.size === 0) return "";
  const states = [...hidden].map(({ state }) => state);
  const parts = (["unhealthy", "unknown", "healthy", "paused"] as const)
    .map(
      (state) =>
        [states.filter((one) => one === state).length, checkStates[state].word.toLowerCase()] as const,
    )
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count.toLocaleString()} ${word}`);
  return `and ${parts.join(", ")}${turn > 0 ? ` (page ${turn + 1} of ${pages})` : ""}`;
}

/** Returns a number that grows by one in each interval. */
function useTurn(everyMs: number | undefined): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (everyMs === undefined) return setTurn(0);
    const timer = setInterval(() => setTurn((before) => before + 1), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return turn;
}

/** Returns a reference for an element, and its size in CSS px. */
function useSize() {
  const element = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setSize({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return { element, size };
}
