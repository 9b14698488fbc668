/** Figures of the overview's tiles with the words beside them. Pure. */
import type { PageName } from "@svc/contract";
import type { OverviewAnswer } from "../../api/queries/overview.ts";
import { durationText, numberText, percentText } from "../../time/format.ts";

/** Pages that tiles lead to: lists, which need no parameter. */
type TilePage = Extract<
  PageName,
  "locations" | "checks" | "slos" | "channels" | "certificates" | "telemetry"
>;

/** A tile. */
export interface TileText {
  name: string;
  figure: string;
  words: string;
  /** True when somebody should look. */
  isLoud: boolean;
  page: TilePage;
}

/** Words for the reasons of missing slots, short enough for a tile. */
const REASONS: Readonly<Record<NonNullable<OverviewAnswer["slots"]>["missing"][number]["reason"], string>> = {
  location_retired: "location retired",
  no_runner: "no runner",
  no_capable_runner: "no runner for the type",
  no_vault_runner: "no runner for secrets",
  runner_capacity: "runner too busy",
  runner_crash: "runner crashed",
  runner_oom: "runner out of memory",
  runner_network: "runner's network",
  runner_lost: "runner lost",
  previous_run: "run before not ended",
  service_unavailable: "service without database",
  unknown: "nothing recorded",
  not_explained: "not explained",
};

/** Share of an error budget under which little is left. */
const BUDGET_LOW = 0.25;

/** Returns the tiles in their order. @param nowMs Unix ms */
export function tilesOf(overview: OverviewAnswer, nowMs: number): TileText[] {
  return [
    slotsTile(overview.slots),
    responseTile(overview.responseTime),
    sloTile(overview.slosAtRisk),
    locationsTile(overview.locations),
    channelsTile(overview.channelsFailing),
    certificatesTile(overview.certificates, nowMs),
    telemetryTile(overview.telemetry),
  ];
}

function slotsTile(slots: OverviewAnswer["slots"]): TileText {
  const base = { name: "Slots, last 24 h", page: "locations" } as const;
  if (slots === null) return { ...base, figure: "-", words: "can't be counted at the moment", isLoud: false };
  const { expected, received, missing } = slots;
  if (expected === 0) return { ...base, figure: "-", words: "none was due yet", isLoud: false };
  const reasons = missing
    .map(({ reason, count, location }) => `${numberText(count)} x ${REASONS[reason]}, ${location.name}`)
    .join("; ");
  const words =
    received === expected
      ? `all ${numberText(expected)} have a result`
      : `${numberText(expected - received)} of ${numberText(expected)} missing${reasons && `: ${reasons}`}`;
  return { ...base, figure: percentText(received / expected), words, isLoud: received < expected };
}

function responseTile(times: OverviewAnswer["responseTime"]): TileText {
  const base = { name: "Response time now", page: "checks", isLoud: false } as const;
  if (times === null) return { ...base, figure: "-", words: "no results in the last minutes" };
  const figure = millisecondsText(times.nowMs);
  if (times.usualMs === null) return { ...base, figure, words: "nothing to compare it with yet" };
  const difference = Math.round(times.nowMs - times.usualMs);
  const sign = difference > 0 ? "+" : difference < 0 ? "-" : "±";
  const words = `${sign}${millisecondsText(Math.abs(difference))} against the last 7 days, same hour`;
  return { ...base, figure, words };
}

function sloTile({ count, judged, worst }: OverviewAnswer["slosAtRisk"]): TileText {
  const base = { name: "SLOs at risk", page: "slos", figure: numberText(count), isLoud: count > 0 } as const;
  const [first] = worst;
  if (first && first.budgetLeft < BUDGET_LOW)
    return {
      ...base,
      words: `${first.name}: ${percentText(Math.max(0, first.budgetLeft))} of its budget left`,
    };
  if (first)
    return { ...base, words: `${first.name} fails ${first.burnRate1h.toFixed(1)} x as much as it may` };
  return { ...base, words: judged === 0 ? "no SLO is set" : `of ${numberText(judged)}` };
}

function locationsTile({ total, active, notActive }: OverviewAnswer["locations"]): TileText {
  const others = notActive.map(({ name, health }) => `${name} ${health}`).join(", ");
  return {
    name: "Locations",
    page: "locations",
    figure: `${active} of ${total}`,
    words: others === "" ? "active" : `active; ${others}`,
    isLoud: active < total,
  };
}

function channelsTile({ count, first }: OverviewAnswer["channelsFailing"]): TileText {
  return {
    name: "Deliveries failing",
    page: "channels",
    figure: numberText(count),
    words: count === 0 ? "every channel's newest arrived" : first.map(({ name }) => name).join(", "),
    isLoud: count > 0,
  };
}

function certificatesTile({ count, next }: OverviewAnswer["certificates"], nowMs: number): TileText {
  const leftMs = next ? Date.parse(next.validTo) - nowMs : 0;
  const words = !next
    ? "none ends within 30 days"
    : leftMs > 0
      ? `${next.host} in ${durationText(leftMs)}`
      : `${next.host} has ended`;
  return {
    name: "Certificates ending",
    page: "certificates",
    figure: numberText(count),
    words,
    isLoud: count > 0,
  };
}

function telemetryTile({ state, lagSeconds, lastError }: OverviewAnswer["telemetry"]): TileText {
  const base = { name: "Telemetry export", page: "telemetry", isLoud: state === "failing" } as const;
  switch (state) {
    case "off":
      return { ...base, figure: "Off", words: "results are not exported" };
    case "waiting":
      return { ...base, figure: "Waiting", words: "nothing was exported yet" };
    case "exporting":
      return { ...base, figure: "Exporting", words: `${durationText(lagSeconds * 1000)} behind` };
    case "failing":
      return { ...base, figure: "Failing", words: lastError ?? "no reason was given" };
  }
}

function millisecondsText(ms: number): string {
  return `${numberText(Math.round(ms))} ms`;
}
