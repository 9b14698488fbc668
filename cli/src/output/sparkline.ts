const BARS = "▁▂▃▄▅▆▇█";

/** Draws one bar per value, the largest at full height; `·` where there is no value. */
export function sparkline(values: readonly (number | null | undefined)[]): string {
  const largest = Math.max(0, ...values.map((value) => value ?? 0));
  return values.map((value) => (value == null ? "·" : barOf(value, largest))).join("");
}

function barOf(value: number, largest: number): string {
  const step = largest === 0 ? 0 : Math.round((value / largest) * (BARS.length - 1));
  return BARS[Math.max(0, Math.min(BARS.length - 1, step))] ?? "";
}
