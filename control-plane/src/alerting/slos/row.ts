/** SLO rows and what the API shows of them. */
import type { Id, SliType, Slo, SloScope, SloType, TeamId } from "@svc/contract";
import objection from "objection";

/** A row of `slos`. `key` is what generated rules carry, `id` what the API shows. */
export class SloModel extends objection.Model {
  static override tableName = "slos";
  static override idColumn = "key";

  declare key: number;
  declare id: Id<"slo">;
  declare teamId: TeamId;
  /** null: of no check. */
  declare checkKey: number | null;
  declare name: string;
  declare sloType: SloType;
  declare patternId: string | null;
  declare sliType: SliType;
  declare perfThresholdMs: number | null;
  declare scope: SloScope;
  declare targetBasisPoints: number;
  declare windowDays: number;
  declare burnRateAlertsEnabled: boolean;
  declare channelIds: string[];
  declare enabled: boolean;
  declare createdAt: string;
  declare updatedAt: string | null;
}

/** A row with what is joined to it. */
export interface SloRow extends SloModel {
  checkId: string | null;
  checkName: string | null;
}

/** An SLO as the API answers it. */
export function sloFromRow(row: SloRow): Slo {
  return {
    id: row.id,
    teamId: row.teamId,
    checkId: row.checkId,
    checkName: row.checkName,
    name: row.name,
    targetBasisPoints: row.targetBasisPoints,
    windowDays: row.windowDays,
    burnRateAlertsEnabled: row.burnRateAlertsEnabled,
    channelIds: row.channelIds,
    enabled: row.enabled,
    sloType: row.sloType,
    patternId: row.patternId,
    sliType: row.sliType,
    perfThresholdMs: row.perfThresholdMs,
    scope: row.scope,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** What of an SLO a person set, as the change log compares it. */
export function describeSlo(row: SloRow): Record<string, unknown> {
  const { id, teamId, checkName, createdAt, updatedAt, ...described } = sloFromRow(row);
  return described;
}
