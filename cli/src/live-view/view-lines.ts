/** Lays out the lines of the full-screen view, for a terminal of any size. Pure. */

import { durationText } from "@svc/contract";
import type { Output } from "../output/output.ts";
import { fieldLines } from "../output/print-fields.ts";
import { fieldsOfMonitor, maskedCheck, resultColumns } from "../resources/monitors/describe.ts";
import { statusColumns } from "../resources/status/columns.ts";
import { countsOf, type MonitorStatus } from "../resources/status/read-status.ts";
import { type LiveViewState, selectedIndex, visibleMonitors } from "./state.ts";

/** Size of the terminal in characters. */
export interface Size {
  columns: number;
  rows: number;
}

/** The content of the view that is not part of its state. */
export interface Surroundings {
  size: Size;
  apiUrl: string;
  intervalSeconds: number;
  nowMs: number;
}

/** Returns at most one line less than the terminal has: with all of them it would scroll. */
export function viewLines(out: Output, state: LiveViewState, surroundings: Surroundings): string[] {
  const { size, nowMs } = surroundings;
  const head = [...headLines(out, state, surroundings), ""];
  const foot = ["", footLine(out, state)];
  const rowsLeft = Math.max(2, size.rows - 1 - head.length - foot.length);
  const body =
    state.mode === "detail"
      ? scrolledTo(state.scrolled, rowsLeft, detailLines(out, state, { columns: size.columns, nowMs }))
      : listLines(out, state, { columns: size.columns, rows: rowsLeft });
  return [...head, ...body.slice(0, rowsLeft), ...foot].slice(0, Math.max(1, size.rows - 1));
}

function scrolledTo(scrolled: number, rowsLeft: number, lines: readonly string[]): string[] {
  const first = Math.max(0, Math.min(scrolled, lines.length - rowsLeft));
  return lines.slice(first, first + rowsLeft);
}

function headLines(out: Output, state: LiveViewState, { apiUrl, intervalSeconds }: Surroundings): string[] {
  const { bold, red, dim } = out.colors;
  const { healthy, unhealthy, unknown, paused } = countsOf(state.monitors);
  const bad = `${unhealthy} unhealthy`;
  const counts = `${healthy} healthy, ${unhealthy > 0 ? red(bad) : bad}, ${unknown} unknown, ${paused} paused`;
  const read =
    state.readAtMs === undefined
      ? "reading ..."
      : `${new Date(state.readAtMs).toISOString().slice(11, 19)} UTC`;
  return [
    `${bold("svc")} ${out.text(apiUrl)}  ${dim(`${read}, every ${durationText(intervalSeconds)}`)}`,
    state.readAtMs === undefined ? "" : counts,
    ...(state.problem === undefined ? [] : [red(`${out.text(state.problem)}; trying again`)]),
    ...(state.mode === "filter" || state.filter !== ""
      ? [`/${out.text(state.filter)}${state.mode === "filter" ? "_" : ""}`]
      : []),
  ];
}

function footLine({ colors: { dim } }: Output, { mode }: LiveViewState): string {
  if (mode === "detail") return dim("Esc back   ↑/k ↓/j scroll   r refresh   q quit");
  if (mode === "filter") return dim("Type a part of a name   Enter keep   Esc clear");
  return dim("↑/k ↓/j move   Enter detail   / filter   r refresh   q quit");
}

function listLines(out: Output, state: LiveViewState, { columns, rows: rowsLeft }: Size): string[] {
  const visible = visibleMonitors(state);
  if (state.readAtMs === undefined) return [];
  if (visible.length === 0) return [state.filter === "" ? "No monitors." : "No monitor with such a name."];
  const selected = selectedIndex(state, visible);
  const marker = {
    title: " ",
    value: (monitor: MonitorStatus) => (monitor === visible[selected] ? "›" : " "),
    paint: () => out.colors.cyan,
  };
  const [heading = "", ...rows] = out.tableLines([marker, ...statusColumns(out.colors)], visible, columns);
  const shown = rowsLeft - 1;
  // Keeps the selected line in the middle, except at the ends of the list.
  const first = Math.max(0, Math.min(selected - Math.floor(shown / 2), rows.length - shown));
  return [heading, ...rows.slice(first, first + shown)];
}

function detailLines(
  out: Output,
  state: LiveViewState,
  { columns, nowMs }: { columns: number; nowMs: number },
): string[] {
  if (!state.detail) return ["reading ..."];
  const { check, results } = state.detail;
  return [
    ...fieldLines(
      out,
      fieldsOfMonitor(
        maskedCheck(check),
        { labels: undefined, rules: undefined, dependencies: check.dependsOn ?? [] },
        nowMs,
      ),
    ),
    "",
    ...(results.length === 0
      ? ["No results yet."]
      : out.tableLines(resultColumns(out.colors, nowMs), results, columns)),
  ];
}
