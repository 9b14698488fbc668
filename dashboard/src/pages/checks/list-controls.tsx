/** The controls of the list of checks: filter, menus of its terms, groups, columns, height of rows, download. */
import { useMemo, useRef } from "react";
import { prefer, usePreferences } from "../../preferences/preferences.ts";
import type { CheckRow } from "../../status/check-rows.ts";
import { checkStates } from "../../status/words.ts";
import { numberText } from "../../time/format.ts";
import { Choice } from "../../ui/choice.tsx";
import { download } from "../../ui/download.ts";
import { Menu } from "../../ui/menu.tsx";
import { useShortcut } from "../../ui/shortcuts.ts";
import { columnsOf } from "./columns.tsx";
import { csvOf } from "./csv.ts";
import { groupings } from "./groups.ts";
import type { useListState } from "./list-state.ts";
import { facetsOf, hasTerm, toggledTerm } from "./terms.ts";

/** Shows the controls. @param props.shown the checks that the filter leaves */
export function ListControls({
  all,
  shown,
  list,
  nameOf,
}: {
  all: readonly CheckRow[];
  shown: readonly CheckRow[];
  list: ReturnType<typeof useListState>;
  nameOf(locationId: string): string;
}) {
  const field = useRef<HTMLInputElement>(null);
  const { isDense } = usePreferences();
  useShortcut({ keys: "/", label: "Filter checks", group: "This page", act: () => field.current?.focus() });
  const menus = useMemo(
    () => facetsOf(all, { wordOf: (state) => checkStates[state].word, nameOf }),
    [all, nameOf],
  );
  return (
    <div className="list-controls">
      <input
        ref={field}
        type="search"
        aria-label="Filter checks"
        placeholder="Words, label:shop, type:http, is:failing"
        value={list.filter}
        onChange={({ target: { value } }) => list.setFilter(value)}
      />
      {menus.map(({ title, facets }) => (
        <Menu
          key={title}
          items={facets.map(({ term, text, checks }) => ({
            label: `${text} (${numberText(checks)})`,
            isChecked: hasTerm(list.filter, term),
            act: () => list.setFilter(toggledTerm(list.filter, term)),
          }))}
        >
          {title}
        </Menu>
      ))}
      <span className="list-view">
        <Choice label="Group by" value={list.group} options={groupings} onChoose={list.setGroup} />
        <Menu
          items={columnsOf(() => [], nameOf)
            .filter(({ key }) => key !== "name")
            .map(({ key, title }) => ({
              label: title,
              isChecked: !list.hidden.has(key),
              act: () => list.toggleColumn(key),
            }))}
        >
          Columns
        </Menu>
        <button
          type="button"
          className="quiet-button"
          aria-pressed={isDense}
          onClick={() => prefer({ isDense: !isDense })}
        >
          Density
        </button>
        <button
          type="button"
          className="quiet-button"
          onClick={() => download("checks.csv", csvOf(shown, nameOf))}
        >
          Export CSV
        </button>
      </span>
    </div>
  );
}
