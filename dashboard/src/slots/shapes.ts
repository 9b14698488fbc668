/** Draws the cells of a slot strip: one path for each state, so that a strip is a few elements however many slots it has. Pure. */
import type { SlotCell } from "../api/queries/history.ts";

/** State of a cell as it is drawn. */
export type CellShape = "success" | "failure" | "error" | "timeout" | "missing" | "pending";

/** Width and height of the drawing; it is stretched to its place. */
export const WIDTH = 1000;
export const HEIGHT = 28;
/** Success is short; whatever else is as high as the strip. */
const SHORT_TOP = 14;

/** Where the strip begins and ends, Unix ms. */
export interface StripScale {
  fromMs: number;
  toMs: number;
  /** Length of a cell, ms. */
  cellMs: number;
}

/** Returns the shapes of a cell: its results' worst status, and missing ones above a success. */
export function shapesOf({ worst, missing }: SlotCell): CellShape[] {
  const shapes: CellShape[] = worst === undefined ? [] : [worst];
  if (missing && (worst === undefined || worst === "success")) shapes.push("missing");
  return shapes.length === 0 ? ["pending"] : shapes;
}

/** Returns the horizontal place of an instant. */
export function positionOf(ms: number, { fromMs, toMs }: StripScale): number {
  return ((ms - fromMs) / (toMs - fromMs)) * WIDTH;
}

/** Returns the outlines of the cells of each shape, as paths. */
export function pathsOf(cells: readonly SlotCell[], scale: StripScale): Map<CellShape, string> {
  const paths = new Map<CellShape, string>();
  const width = Math.max(0.8, (scale.cellMs / (scale.toMs - scale.fromMs)) * WIDTH * 0.8);
  for (const cell of cells) {
    const x = positionOf(Date.parse(cell.at), scale);
    const shapes = shapesOf(cell);
    for (const shape of shapes) {
      const top = shape === "success" ? SHORT_TOP : 1;
      const bottom = shape === "missing" && shapes.length > 1 ? SHORT_TOP - 2 : HEIGHT - 1;
      // A failure has a notch at its top.
      const edge =
        shape === "failure" ? `l${round(width / 2)} 5 l${round(width / 2)} -5` : `h${round(width)}`;
      const path = `M${round(x)} ${top}${edge}V${bottom}h${round(-width)}z`;
      paths.set(shape, (paths.get(shape) ?? "") + path);
    }
  }
  return paths;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
