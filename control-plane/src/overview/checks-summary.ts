/** The summary of a team's checks as the JSON text that all who ask within a second get, compressed once. */
import { type ChecksSummary, DAY_MS, SECOND_MS, SUMMARY_CHECKS_MAX, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { CREATION_CURSOR, cursorText, parseCursor } from "../platform/http/list-answer.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { hourOf } from "../results/rollups/buckets.ts";
import { readRecentResults } from "../results/store.ts";
import { BriefCache } from "./brief-cache.ts";
import { type CompressedText, compressedText } from "./compressed-text.ts";
import { readAvailability, readDeployedChecks, readListedChecks, readOpenSeverities } from "./store.ts";
import { summarize } from "./summarize.ts";

/** So short that a list that hears of a change shows it within two seconds. */
const SUMMARY_AGE_MS = SECOND_MS;
/** The hours that it counts change once an hour; a minute is for late results. */
const AVAILABILITY_AGE_MS = 60 * SECOND_MS;

/** A summary that is kept, with its texts. */
interface KeptSummary {
  summary: ChecksSummary;
  text: CompressedText;
}

/** Makes summaries, and keeps them for the next who ask. One for each process. */
export class ChecksSummaries {
  readonly #summaries = new BriefCache<KeptSummary>(SUMMARY_AGE_MS);
  readonly #availability = new BriefCache<ReadonlyMap<number, number>>(AVAILABILITY_AGE_MS);

  /**
   * Returns the summary of a page of the team's checks.
   * @param cursor `nextCursor` of the page before
   * @throws DomainError `invalid` when the cursor is none of this list
   */
  async read(ctx: Pick<TeamContext, "services" | "teamId">, cursor?: string): Promise<CompressedText> {
    return (await this.#kept(ctx, cursor)).text;
  }

  /** Does the work of {@link read} for those who want the columns. They are shared: whoever gets them changes nothing in them. */
  async readColumns(ctx: Pick<TeamContext, "services" | "teamId">, cursor?: string): Promise<ChecksSummary> {
    return (await this.#kept(ctx, cursor)).summary;
  }

  #kept(
    { services, teamId }: Pick<TeamContext, "services" | "teamId">,
    cursor: string | undefined,
  ): Promise<KeptSummary> {
    const after = parseCursor(cursor, CREATION_CURSOR);
    const nowMs = services.clock.nowMs();
    return this.#summaries.get(`${teamId} ${cursor ?? ""}`, nowMs, async () => {
      const summary = await this.#make(services.knex, teamId, { after, nowMs });
      return { summary, text: await compressedText(JSON.stringify(summary)) };
    });
  }

  async #make(
    knex: Knex,
    teamId: TeamId,
    { after, nowMs }: { after: ReturnType<typeof parseCursor>; nowMs: number },
  ): Promise<ChecksSummary> {
    const [checks, newest, availability, severities, deployed] = await Promise.all([
      readListedChecks(knex, teamId, { after, limit: SUMMARY_CHECKS_MAX }),
      readRecentResults(knex, teamId, { after, rowsMax: SUMMARY_CHECKS_MAX, offset: 0, count: 1, nowMs }),
      this.#availability.get(teamId, nowMs, () => availabilityOf(knex, teamId, nowMs)),
      readOpenSeverities(knex, teamId),
      readDeployedChecks(knex, teamId),
    ]);
    const projects = new Map(deployed.map(({ checkId, project }) => [checkId, project]));
    const last = checks.length === SUMMARY_CHECKS_MAX ? checks.at(-1) : undefined;
    return {
      ...summarize({ asOfMs: nowMs, checks, newest, availability, severities, projects }),
      ...(last && { nextCursor: cursorText([last.createdAt, last.key]) }),
    };
  }
}

async function availabilityOf(knex: Knex, teamId: TeamId, nowMs: number): Promise<Map<number, number>> {
  const rows = await readAvailability(knex, teamId, hourOf(nowMs) - DAY_MS);
  return new Map(rows.map(({ checkKey, basisPoints }) => [checkKey, basisPoints]));
}
