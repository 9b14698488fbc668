/** Refuses what a rota can't be. */
import { DomainError, parseInstant, refuseOverrides, type TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { assertChannelsOfListExist } from "../../outbox/channels/assert-channels-exist.ts";
import { refuseAlertsOnly } from "../incident-policy/refuse-alerts-only.ts";
import type { DescribedRota } from "./row.ts";

/**
 * Returns a rota as it is stored: instants in UTC.
 * @throws DomainError `invalid`, naming each override that names no member, ends too early or overlaps another
 */
export function storedRota(rota: DescribedRota): DescribedRota {
  const problems = refuseOverrides(rota);
  if (problems.length > 0)
    throw new DomainError("invalid", "Validation failed", {
      details: {
        fieldErrors: {
          overrides: problems.map(
            ({ path: [list, i, field], message }) => `${list}[${i}].${field}: ${message}`,
          ),
        },
        formErrors: [],
      },
    });
  const iso = (text: string) => new Date(parseInstant(text, rota.timezone)).toISOString();
  return {
    ...rota,
    startsAt: iso(rota.startsAt),
    overrides: rota.overrides.map(({ from, to, member }) => ({ from: iso(from), to: iso(to), member })),
  };
}

/**
 * Makes sure that the channels of a rota are the team's and take incident events, and keeps them from being deleted until the
 * transaction ends.
 * @throws DomainError `invalid`, naming those that do not
 */
export async function holdMemberChannels(
  trx: Knex,
  teamId: TeamId,
  { members }: Pick<DescribedRota, "members">,
): Promise<void> {
  await assertChannelsOfListExist(trx, teamId, { field: "members", items: members });
  const channelIds = [...new Set(members.flatMap((member) => member.channelIds))];
  await refuseAlertsOnly(trx, channelIds, "members");
}
