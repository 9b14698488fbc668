/** What the system's ping says at its end. */

/** The outcome of some echo requests. */
export interface PingSummary {
  transmitted: number;
  received: number;
  /** Answers of routers that a packet could not be delivered. */
  errors: number;
  /** Absent when nothing was answered. */
  roundTripMs?: { min: number; avg: number; max: number };
}

/** Returns the summary in the output of a ping in the C locale; undefined when there is none. */
export function pingSummaryIn(output: string): PingSummary | undefined {
  const counts = /^(\d{1,9}) packets transmitted, (\d{1,9}) (?:packets )?received/m.exec(output);
  if (!counts) return undefined;
  const transmitted = Number(counts[1]);
  const errors = /, \+(\d{1,9}) errors/.exec(output);
  const times = /^(?:rtt|round-trip) min\/avg\/max(?:\/\w+)? = ([\d.]+)\/([\d.]+)\/([\d.]+)/m.exec(output);
  const [min, avg, max] = times?.slice(1).map(Number) ?? [];
  const hasTimes = min !== undefined && avg !== undefined && max !== undefined;
  return {
    transmitted,
    received: Math.min(transmitted, Number(counts[2])),
    errors: errors ? Number(errors[1]) : 0,
    ...(hasTimes && [min, avg, max].every(Number.isFinite) ? { roundTripMs: { min, avg, max } } : {}),
  };
}

/** Returns the share of packets that were not answered, in percent with one decimal. */
export function lossPercentOf({ transmitted, received }: PingSummary): number {
  return transmitted === 0 ? 100 : Math.round((1000 * (transmitted - received)) / transmitted) / 10;
}
