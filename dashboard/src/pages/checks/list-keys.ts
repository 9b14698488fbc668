/** Keys of the list of checks: go along its rows, and select them. */
import { type RefObject, useRef } from "react";
import { useShortcut } from "../../ui/shortcuts.ts";
import type { Line } from "./groups.ts";

/**
 * Lets keys go along the lines: `j` and `k` focus the name of the next and of the previous check, which Enter then opens; `x` selects
 * it, `X` all from the one that was selected last.
 * @param input.isOn false: nothing can be selected
 */
export function useListKeys({
  lines,
  reveal,
  isOn,
  isSelected,
  select,
}: {
  lines: readonly Line[];
  reveal: RefObject<((index: number) => void) | undefined>;
  isOn: boolean;
  isSelected(id: string): boolean;
  select(ids: readonly string[], isSelected: boolean): void;
}): void {
  const last = useRef<number>(undefined);
  const here = () => {
    const row = document.activeElement?.closest<HTMLElement>("[data-row]");
    return row ? Number(row.dataset.row) : undefined;
  };
  const go = (step: 1 | -1) => () => {
    let next = (here() ?? -1) + step;
    while (lines[next]?.kind === "group") next += step;
    if (lines[next] === undefined) return;
    reveal.current?.(next);
    // The row is in the document once it has been scrolled into sight.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-row="${next}"] a`)?.focus()),
    );
  };
  const toggle = (isRange: boolean) => () => {
    const index = here();
    const line = index === undefined ? undefined : lines[index];
    if (index === undefined || line?.kind !== "check") return;
    const from = isRange ? (last.current ?? index) : index;
    const ids = lines
      .slice(Math.min(from, index), Math.max(from, index) + 1)
      .flatMap((one) => (one.kind === "check" ? one.row.id : []));
    select(ids, isRange || !isSelected(line.row.id));
    last.current = index;
  };
  useShortcut({ keys: "j", label: "Next check", group: "This page", act: go(1) });
  useShortcut({ keys: "k", label: "Previous check", group: "This page", act: go(-1) });
  useShortcut({ keys: "x", label: "Select the check", group: "This page", act: toggle(false) }, isOn);
  useShortcut({ keys: "X", label: "Select up to the check", group: "This page", act: toggle(true) }, isOn);
}
