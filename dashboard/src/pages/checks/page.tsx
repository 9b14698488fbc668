/** The list of checks: filter, order, groups and rows in sight, for any number of checks, and what can be done to several of them. */
import "./checks.css";
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import { Link } from "wouter";
import { useLocationNames } from "../../api/location-names.ts";
import { resultsInSightQuery, summaryQuery } from "../../api/queries/summary.ts";
import { useMayChange } from "../../shell/session.tsx";
import { type CheckRow, rowsOf } from "../../status/check-rows.ts";
import { countText, numberText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { VirtualTable } from "../../ui/virtual-table.tsx";
import { BulkDialog, type BulkKind } from "./bulk-dialog.tsx";
import { columnsOf } from "./columns.tsx";
import { copyChecksAsCode } from "./copy-as-code.ts";
import { filterOf } from "./filter.ts";
import { frozen } from "./frozen-order.ts";
import { type Line, linesOf } from "./groups.ts";
import { ListControls } from "./list-controls.tsx";
import { useListKeys } from "./list-keys.ts";
import { useListState } from "./list-state.ts";
import { RowMenu } from "./row-menu.tsx";
import { SelectionBar } from "./selection-bar.tsx";
import { orderOf, sorted } from "./sort.ts";

/** Checks whose results one request may ask for. */
const IN_SIGHT_MAX = 100;

/** Shows the checks. What is shown, and how, stands in the address. */
export default function Checks() {
  const summary = useQuery(summaryQuery);
  const mayChange = useMayChange();
  return (
    <Page
      title="Checks"
      actions={
        <>
          <Link href={pagePath("exportProject", {})} className="button quiet-button">
            Export project
          </Link>
          {mayChange && (
            <Link href={pagePath("newCheck", {})} className="button">
              New check
            </Link>
          )}
        </>
      }
    >
      <Loaded query={summary}>
        {(parts) => {
          const rows = rowsOfParts(parts);
          return rows.length === 0 ? <FirstCheck /> : <CheckList all={rows} />;
        }}
      </Loaded>
    </Page>
  );
}

/** The rows of an answer, made once: what shows a row is drawn again only when the answer is another one. */
const made = new WeakMap<Parameters<typeof rowsOf>[0], CheckRow[]>();
function rowsOfParts(parts: Parameters<typeof rowsOf>[0]): CheckRow[] {
  const rows = made.get(parts) ?? rowsOf(parts);
  made.set(parts, rows);
  return rows;
}

function CheckList({ all }: { all: readonly CheckRow[] }) {
  const list = useListState();
  const names = useLocationNames();
  const nameOf = useCallback((id: string) => names.get(id) ?? id, [names]);
  const mayChange = useMayChange();
  const { rows, moved, thaw, pointing } = useRows(all, list);
  const lines = useMemo(() => linesOf(rows, list.group, nameOf), [rows, list.group, nameOf]);
  const [inSight, setInSight] = useState<readonly Line[]>([]);
  const idsInSight = [...new Set(inSight.flatMap((line) => (line.kind === "check" ? line.row.id : [])))];
  const results = useQuery(resultsInSightQuery(idsInSight.slice(0, IN_SIGHT_MAX))).data;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<{ kind: BulkKind; rows: readonly CheckRow[] }>();
  const reveal = useRef<(index: number) => void>(undefined);
  const select = useCallback(
    (ids: readonly string[], isSelected: boolean) =>
      setSelected((before) => {
        const next = new Set(before);
        for (const id of ids) isSelected ? next.add(id) : next.delete(id);
        return next;
      }),
    [],
  );
  useListKeys({ lines, reveal, isOn: mayChange, isSelected: (id) => selected.has(id), select });
  const chosen = all.filter(({ id }) => selected.has(id));
  const isAllSelected = rows.length > 0 && rows.every(({ id }) => selected.has(id));
  const columns = useMemo(
    () =>
      columnsOf((id) => results?.get(id) ?? [], nameOf).map((one) => ({ ...one, cell: ofCheck(one.cell) })),
    [results, nameOf],
  );
  const [selectCell, menuCell] = useMemo(
    () => [
      ofCheck((row) => (
        <input
          type="checkbox"
          aria-label={`Select ${row.name}`}
          checked={selected.has(row.id)}
          onChange={({ target }) => select([row.id], target.checked)}
        />
      )),
      ofCheck((row) => (
        <RowMenu row={row} mayChange={mayChange} onChoose={(kind) => setAsked({ kind, rows: [row] })} />
      )),
    ],
    [selected, select, mayChange],
  );
  return (
    <>
      <ListControls all={all} shown={rows} list={list} nameOf={nameOf} />
      {chosen.length > 0 ? (
        <SelectionBar
          count={chosen.length}
          onChoose={(kind) => setAsked({ kind, rows: chosen })}
          onCopy={() => void copyChecksAsCode(chosen.map(({ id }) => id))}
          onClear={() => setSelected(new Set())}
        />
      ) : (
        <p className="list-state">
          <span role="status" className="quiet">
            {rows.length === all.length
              ? countText(all.length, "check")
              : `${numberText(rows.length)} of ${countText(all.length, "check")}`}
          </span>
          {moved > 0 && (
            <button type="button" className="quiet-button" onClick={thaw}>
              {`${countText(moved, "check")} moved, sort again`}
            </button>
          )}
        </p>
      )}
      {rows.length === 0 ? (
        <Empty>No check is like that.</Empty>
      ) : (
        <div {...pointing}>
          <VirtualTable
            name="Checks"
            rows={lines}
            keyOf={({ key }) => key}
            headingOf={(line) => (line.kind === "group" ? <GroupHeading line={line} /> : undefined)}
            onRange={setInSight}
            reveal={reveal}
            columns={[
              ...(mayChange
                ? [
                    {
                      title: "Selected",
                      heading: (
                        <input
                          type="checkbox"
                          aria-label="Select all that are shown"
                          checked={isAllSelected}
                          onChange={({ target }) =>
                            select(
                              rows.map(({ id }) => id),
                              target.checked,
                            )
                          }
                        />
                      ),
                      cell: selectCell,
                    },
                  ]
                : []),
              ...columns
                .filter(({ key }) => !list.hidden.has(key))
                .map(({ sortedBy, ...column }) => ({
                  ...column,
                  ...(sortedBy && { sort: list.sortOf(sortedBy) }),
                })),
              {
                title: "Actions",
                heading: <span className="hidden">Actions</span>,
                cell: menuCell,
              },
            ]}
          />
        </div>
      )}
      {asked && (
        <BulkDialog
          kind={asked.kind}
          rows={asked.rows}
          onClose={() => setAsked(undefined)}
          onDone={() => setSelected(new Set())}
        />
      )}
    </>
  );
}

/** Returns the rows to show. While somebody points at them or has the focus among them, they stay where they are. */
function useRows(all: readonly CheckRow[], { filter, sort }: ReturnType<typeof useListState>) {
  const shown = useDeferredValue(filter);
  // Sorted once for many filters: a key in the filter compares no names.
  const ordered = useMemo(() => sorted(all, orderOf(sort)), [all, sort]);
  const current = useMemo(() => ordered.filter(filterOf(shown)), [ordered, shown]);
  const [isPointed, setIsPointed] = useState(false);
  const [thaws, setThaws] = useState(0);
  const kept = useRef<{ key: string; ids: readonly string[] }>({ key: "", ids: [] });
  const key = JSON.stringify([shown, sort, thaws]);
  const { rows, moved } = useMemo(
    () =>
      isPointed && kept.current.key === key ? frozen(current, kept.current.ids) : { rows: current, moved: 0 },
    [current, isPointed, key],
  );
  useEffect(() => {
    kept.current = { key, ids: rows.map(({ id }) => id) };
  }, [key, rows]);
  return {
    rows,
    moved,
    thaw: () => setThaws(thaws + 1),
    pointing: {
      onPointerEnter: () => setIsPointed(true),
      onPointerLeave: () => setIsPointed(false),
      onFocus: () => setIsPointed(true),
      onBlur: () => setIsPointed(false),
    },
  };
}

const ofCheck =
  <Shown,>(cell: (row: CheckRow) => Shown) =>
  (line: Line) =>
    line.kind === "check" ? cell(line.row) : null;

function GroupHeading({
  line: { title, checks, healthy, failing },
}: {
  line: Extract<Line, { kind: "group" }>;
}) {
  return (
    <span className="group-heading">
      <bdi>{title}</bdi>
      <span className="quiet">
        {`${countText(checks, "check")}, ${numberText(healthy)} healthy, ${numberText(failing)} failing`}
      </span>
    </span>
  );
}

function FirstCheck() {
  return (
    <Empty>
      <p>
        A check runs at intervals and says whether what it looks at works. Describe the first one as code:
      </p>
      <pre>npx svc init --url https://example.com{"\n"}npx svc deploy --wait</pre>
    </Empty>
  );
}
