/** Durations as Go programs write them. Pure. */

const UNIT_MS = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
} as const;

/** Returns the milliseconds of `1m30s`, `500ms` or `2d`; undefined for any other text. */
export function goDurationMs(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 100 || !/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d|w))+$/.test(trimmed))
    return undefined;
  let ms = 0;
  for (const [, count, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d|w)/g))
    ms += Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return ms;
}
