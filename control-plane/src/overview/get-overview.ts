/** Says how a team stands as a whole, as text that all who ask within a second get. */
import {
  DAY_MS,
  type Location,
  OVERVIEW_INCIDENTS_MAX,
  type Overview,
  resultIdOf,
  SECOND_MS,
  SEVERITIES,
  statusOfCode,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { readLocationLives } from "../checks/locations/store.ts";
import type { Services } from "../platform/services.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { newestRangeOfTeam } from "../results/newest-range-store.ts";
import { readExportStatus } from "../telemetry/export/export-store.ts";
import { findSettings } from "../telemetry/settings-store.ts";
import { BriefCache } from "./brief-cache.ts";
import type { Capacities } from "./capacity/capacities.ts";
import { locationsNearCapacity } from "./capacity/get-capacity.ts";
import { type CompressedText, compressedText } from "./compressed-text.ts";
import { type DayFigures, keptForMs, readDayFigures } from "./day-figures.ts";
import {
  countOpen,
  readFailingChannels,
  readLatest,
  readOpenIncidents,
  readSetUp,
  readUnannounced,
  readUsedLocations,
  type UsedLocation,
} from "./figures-store.ts";
import { overviewForDisplays } from "./overview-for-displays.ts";
import { type SlotCounts, slotsOfOverview } from "./slot-counts.ts";
import {
  type FailingKeys,
  type FailingRow,
  readFailing,
  readNeverRan,
  readStanding,
} from "./standing-store.ts";

/** So short that pages, which read anew when they hear of a change, show it within two seconds. */
const OVERVIEW_AGE_MS = SECOND_MS;
/** Subjects that are named of what needs attention, and of failing channels. */
const NAMED_MAX = 3;
const NOT_ACTIVE_MAX = 5;
/** Time after which a failure that nobody ended needs attention of its own. */
const FAILING_LONG_MS = 7 * DAY_MS;
const ERROR_CHARACTERS_MAX = 160;
const HYPOTHESIS_CHARACTERS_MAX = 240;
/** Deliveries in a row that make a channel need attention. */
const FAILED_DELIVERIES = 3;

type Attention = Overview["attention"][number];

/** An overview that is kept, with its texts. */
interface KeptOverview {
  overview: Overview;
  whole: CompressedText;
  /** Made when the first screen asks. */
  forDisplays?: Promise<CompressedText>;
}

/** Makes overviews, and keeps them for the next who ask. One for each process. */
export class Overviews {
  readonly #overviews = new BriefCache<KeptOverview>(OVERVIEW_AGE_MS);
  readonly #figures = new BriefCache<DayFigures>(keptForMs(0));
  readonly #figuresOfLarge = new BriefCache<DayFigures>(keptForMs(Number.POSITIVE_INFINITY));
  readonly #slotCounts: SlotCounts;
  readonly #capacities: Capacities;

  constructor({ slotCounts, capacities }: { slotCounts: SlotCounts; capacities: Capacities }) {
    this.#slotCounts = slotCounts;
    this.#capacities = capacities;
  }

  /** Returns the overview of the team. */
  async read(ctx: Pick<TeamContext, "services" | "teamId">): Promise<CompressedText> {
    return (await this.#kept(ctx)).whole;
  }

  /** Returns the overview of the team as a record. It is shared: whoever gets it changes nothing in it. */
  async readRecord(ctx: Pick<TeamContext, "services" | "teamId">): Promise<Overview> {
    return (await this.#kept(ctx)).overview;
  }

  /** Returns the overview of the team without what the wall does not show. */
  async readForDisplays(ctx: Pick<TeamContext, "services" | "teamId">): Promise<CompressedText> {
    const kept = await this.#kept(ctx);
    kept.forDisplays ??= compressedText(JSON.stringify(overviewForDisplays(kept.overview)));
    return kept.forDisplays;
  }

  #kept({ services, teamId }: Pick<TeamContext, "services" | "teamId">): Promise<KeptOverview> {
    return this.#overviews.get(teamId, services.clock.nowMs(), async () => {
      const overview = await this.#make(services, teamId);
      return { overview, whole: await compressedText(JSON.stringify(overview)) };
    });
  }

  async #make(services: Services, teamId: TeamId): Promise<Overview> {
    const { knex, clock, config } = services;
    const nowMs = clock.nowMs();
    const newest = { nowMs, range: await newestRangeOfTeam(knex, teamId, nowMs) };
    const standing = await readStanding(knex, teamId, newest);
    const isLarge = keptForMs(standing.total) > keptForMs(0);
    const figures = isLarge ? this.#figuresOfLarge : this.#figures;
    const [
      day,
      counted,
      failing,
      neverRan,
      open,
      incidents,
      channels,
      locations,
      lives,
      unannounced,
      latest,
      telemetry,
      setUp,
      capacity,
    ] = await Promise.all([
      figures.get(teamId, nowMs, () => readDayFigures(services, teamId)),
      this.#slotCounts.read(services, teamId, standing.total),
      readFailing(knex, standing.failing, newest),
      readNeverRan(knex, standing.silent, nowMs),
      countOpen(knex, teamId),
      readOpenIncidents(knex, teamId, OVERVIEW_INCIDENTS_MAX),
      readFailingChannels(knex, teamId),
      readUsedLocations(knex, teamId),
      readLocationLives(knex, teamId, nowMs),
      readUnannounced(knex, teamId, { isMailSetUp: config.smtpUrl !== undefined }),
      readLatest(knex, teamId),
      readTelemetry(knex, teamId),
      readSetUp(knex, teamId),
      this.#capacities.read({ services, teamId }),
    ]);
    const { total, disabled, unknown, unhealthy } = standing;
    const listed = listFailing(failing, standing.failing);
    const countOf = (what: string, field: "count" | "unacknowledged" = "count") =>
      open.reduce((sum, one) => (one.what === what ? sum + one[field] : sum), 0);
    return {
      asOf: new Date(nowMs).toISOString(),
      checks: { total, healthy: total - disabled - unknown - unhealthy, unhealthy, unknown, disabled },
      failing: listed,
      openAlerts: { critical: countOf("critical"), warning: countOf("warning"), info: countOf("info") },
      openIncidentCount: countOf("incident"),
      unacknowledged: {
        alerts: SEVERITIES.reduce((sum, severity) => sum + countOf(severity, "unacknowledged"), 0),
        incidents: countOf("incident", "unacknowledged"),
      },
      openIncidents: incidents.map((incident) => ({
        ...incident,
        hypothesis: cut(incident.hypothesis, HYPOTHESIS_CHARACTERS_MAX),
      })),
      slots: counted && (await slotsOfOverview(knex, counted)),
      ...day,
      locations: locationsOf(locations, (key) => lives.get(key)?.health ?? "active"),
      channelsFailing: { count: channels.length, first: channels.slice(0, NAMED_MAX).map(named) },
      telemetry,
      attention: [
        attention(
          "check_failing_long",
          listed.filter(({ sinceAt }) => Date.parse(sinceAt) < nowMs - FAILING_LONG_MS),
        ),
        attention("check_never_ran", neverRan),
        ...unannounced,
        attention(
          "channel_failing",
          channels.filter(({ failed }) => failed >= FAILED_DELIVERIES),
        ),
        attention(
          "location_with_one_runner",
          locations.filter(({ runnerCount }) => runnerCount === 1),
        ),
        attention("location_near_capacity", locationsNearCapacity(capacity)),
      ].filter(({ count }) => count > 0),
      setUp,
      latest,
    };
  }
}

/** Returns failing checks as the overview lists them: the gravest first, then those that fail longest. */
function listFailing(rows: readonly FailingRow[], keys: readonly FailingKeys[]): Overview["failing"] {
  const severityOf = new Map(keys.map(({ key, severity }) => [key, severity]));
  return rows
    .map((row) => ({
      id: row.id,
      name: row.name,
      type: row.type,
      severity: severityOf.get(row.key) ?? null,
      sinceAt: new Date(row.sinceMs).toISOString(),
      locationCount: row.locationCount,
      failingLocations: row.locations,
      resultId: resultIdOf({ checkKey: row.key, locationKey: row.locationKey, slotMs: row.slotMs }),
      status: statusOfCode(row.status),
      errorMessage: row.errorMessage === null ? null : cut(row.errorMessage, ERROR_CHARACTERS_MAX),
      recent: row.recent.map(statusOfCode),
    }))
    .sort((a, b) => rankOf(a) - rankOf(b) || Date.parse(a.sinceAt) - Date.parse(b.sinceAt));
}

function rankOf({ severity }: Overview["failing"][number]): number {
  return severity === null ? SEVERITIES.length : SEVERITIES.indexOf(severity);
}

function locationsOf(
  used: readonly UsedLocation[],
  healthOf: (key: number) => Location["health"],
): Overview["locations"] {
  const notActive = used.flatMap(({ key, id, name, status }) => {
    const health = status === "retired" ? status : healthOf(key);
    return health === "active" ? [] : [{ id, name, health }];
  });
  return {
    total: used.length,
    active: used.length - notActive.length,
    notActive: notActive.slice(0, NOT_ACTIVE_MAX),
  };
}

async function readTelemetry(knex: Knex, teamId: TeamId): Promise<Overview["telemetry"]> {
  const settings = await findSettings(knex, teamId);
  if (!settings?.enabled) return { state: "off", lagSeconds: 0, lastError: null };
  const signals = await readExportStatus(knex, teamId);
  const failing = signals.find(({ state }) => state === "failing");
  return {
    state: failing ? "failing" : signals.some(({ state }) => state === "exporting") ? "exporting" : "waiting",
    lagSeconds: Math.max(0, ...signals.map(({ lagSeconds }) => lagSeconds)),
    lastError: failing?.lastError ? cut(failing.lastError, ERROR_CHARACTERS_MAX) : null,
  };
}

function attention(kind: Attention["kind"], subjects: readonly { id: string; name: string }[]): Attention {
  return { kind, count: subjects.length, subjects: subjects.slice(0, NAMED_MAX).map(named) };
}

function named({ id, name }: { id: string; name: string }): { id: string; name: string } {
  return { id, name };
}

/** Returns the text, or its beginning with an ellipsis. Cuts no character in two. */
function cut(text: string, charactersMax: number): string {
  const characters = [...text.slice(0, 2 * charactersMax + 2)];
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 1).join("")}…`;
}
