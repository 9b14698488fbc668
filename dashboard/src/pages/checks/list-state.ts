/** State of the list of checks: filter, order, groups, hidden columns. It stands in the address, where defaults are left out. */
import { useSearchParams } from "wouter";
import type { SortableColumn } from "../../ui/virtual-table.tsx";
import type { SortColumn } from "./sort.ts";

/** Returns the state of the list with functions that change it. */
export function useListState() {
  const [search, setSearch] = useSearchParams();
  const change = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const sort = search.get("sort");
  const hidden: ReadonlySet<string> = new Set((search.get("hide") ?? "").split(",").filter(Boolean));
  return {
    filter: search.get("q") ?? "",
    setFilter: (text: string) => change("q", text),
    sort,
    /** Returns the direction of a column; pressed, it goes from ascending over descending to none. */
    sortOf: (by: SortColumn): SortableColumn<never>["sort"] => {
      const direction = sort === by ? "ascending" : sort === `-${by}` ? "descending" : "none";
      const next = { none: by, ascending: `-${by}`, descending: "" }[direction];
      return { direction, toggle: () => change("sort", next) };
    },
    group: search.get("group") ?? "",
    setGroup: (by: string) => change("group", by),
    /** Keys of the columns that are not shown. */
    hidden,
    toggleColumn: (key: string) => {
      const others = [...hidden].filter((one) => one !== key);
      change("hide", (hidden.has(key) ? others : [...others, key]).join(","));
    },
  };
}
