/** Rota rows, and how the API shows them. */
import {
  type Duty,
  type DutyRota,
  dutyAt,
  type Handover,
  type Rota,
  type RotaDuty,
  type RotaId,
  type RotaMember,
  type RotaOverride,
  type TeamId,
} from "@svc/contract";
import objection from "objection";

/** A row of `rotas`. */
export class RotaModel extends objection.Model {
  static override tableName = "rotas";
  static override idColumn = "key";
  static override jsonAttributes = ["handover", "members", "overrides"];

  declare key: number;
  declare id: RotaId;
  declare teamId: TeamId;
  declare name: string;
  declare timezone: string;
  declare startsAt: string;
  declare handover: Handover;
  declare members: RotaMember[];
  /** Instants in UTC, ISO 8601. */
  declare overrides: RotaOverride[];
  declare createdAt: string;
  declare updatedAt: string | null;
}

/** The fields that people set. */
export type DescribedRota = Pick<
  RotaModel,
  "name" | "timezone" | "startsAt" | "handover" | "members" | "overrides"
>;

/** Returns the facts that decide who is on duty. */
export function dutyRotaOf(row: Omit<DescribedRota, "name">): DutyRota<RotaMember> {
  const { timezone, handover, members } = row;
  return {
    timezone,
    handover,
    members,
    startsAtMs: Date.parse(row.startsAt),
    overrides: row.overrides.map(({ from, to, member }) => ({
      fromMs: Date.parse(from),
      toMs: Date.parse(to),
      member,
    })),
  };
}

/** Returns a time on duty as the API answers it. */
export function dutyFrom({ member, fromMs, toMs, isOverride }: Duty<RotaMember>): RotaDuty {
  return {
    member: member.name,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    isOverride,
  };
}

/** Returns a rota as the API answers it at an instant (Unix ms). */
export function rotaFromRow(row: RotaModel, nowMs: number): Rota {
  const duty = dutyAt(dutyRotaOf(row), nowMs);
  if (!duty) throw new Error(`rota ${row.id} has no members`);
  return {
    id: row.id,
    ...describeRota(row),
    onDuty: dutyFrom(duty),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** Returns the fields that people set, as the change log compares them. */
export function describeRota(row: DescribedRota): DescribedRota {
  const { name, timezone, startsAt, handover, members, overrides } = row;
  return { name, timezone, startsAt, handover, members, overrides };
}
