/** SLO rows, and how the API shows them. */
import type {
  ChannelId,
  CheckId,
  SliType,
  Slo,
  SloId,
  SloScope,
  SloType,
  TeamId,
  ThirdPartyPatternId,
} from "@svc/contract";
import objection from "objection";

/** A row of `slos`. Generated rules carry its `key`, the API shows its `id`. */
export class SloModel extends objection.Model {
  static override tableName = "slos";
  static override idColumn = "key";

  declare key: number;
  declare id: SloId;
  declare teamId: TeamId;
  /** null: the SLO is about a third-party pattern. */
  declare checkKey: number | null;
  declare name: string;
  declare sloType: SloType;
  /** null: the SLO is about a check. */
  declare patternId: ThirdPartyPatternId | null;
  declare sliType: SliType;
  declare perfThresholdMs: number | null;
  declare scope: SloScope;
  declare targetBasisPoints: number;
  declare windowDays: number;
  declare burnRateAlertsEnabled: boolean;
  declare channelIds: ChannelId[];
  declare enabled: boolean;
  declare createdAt: string;
  declare updatedAt: string | null;
}

/** A row with the id and the name of its check, and the key of its pattern. */
export interface SloRow extends SloModel {
  checkId: CheckId | null;
  checkName: string | null;
  patternKey: number | null;
}

/** Returns an SLO as the API answers it. */
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

/** Returns the fields that people set, as the change log compares them. */
export function describeSlo(row: SloRow): Record<string, unknown> {
  const { id, teamId, checkName, createdAt, updatedAt, ...described } = sloFromRow(row);
  return described;
}
