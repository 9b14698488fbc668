import type { TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { configFromRow } from "../../outbox/channels/row.ts";
import { findProvenChannel } from "../../outbox/channels/store.ts";
import type { Services } from "../../platform/services.ts";
import {
  type AcknowledgeGrant,
  type AcknowledgeLinkState,
  hasAcknowledgeLinks,
  stateOfLink,
  verifyAcknowledgeToken,
} from "./acknowledge-link.ts";
import { changeIncident } from "./change-incident.ts";
import { findLastStateChangeMs } from "./event-store.ts";
import { stateAfter } from "./lifecycle.ts";
import type { IncidentRow } from "./row.ts";
import { findIncidentRow } from "./store.ts";

type Parts = Pick<Services, "knex" | "clock" | "secrets">;

/** A link as its page shows it. */
export interface AcknowledgeLink {
  state: AcknowledgeLinkState;
  /** Title of the incident. */
  title: string;
}

/** A link's grant, with the team that its channel belongs to. */
interface ProvenGrant extends AcknowledgeGrant {
  teamId: TeamId;
}

/**
 * Returns a link by its token. Changes nothing.
 * @returns undefined for a token that the service did not sign, and when its channel has no such links any more, or its incident
 *   does not exist
 */
export async function findAcknowledgeLink(
  services: Parts,
  token: string,
): Promise<AcknowledgeLink | undefined> {
  const grant = await proveGrant(services, token);
  return grant && findLink(services, grant);
}

/**
 * Acknowledges an incident in the name of the channel whose message has the link. Does nothing for a link that is not usable, so two
 * uses at once acknowledge once. The incident's alerts stay as they are.
 */
export async function acknowledgeByLink(services: Parts, token: string): Promise<void> {
  const { clock } = services;
  const grant = await proveGrant(services, token);
  // Whoever repeats a link that is used up doesn't wait for the lock of the team's incidents, nor lets others wait.
  if (!grant || (await findLink(services, grant))?.state !== "usable") return;
  await changeIncident(services, {
    teamId: grant.teamId,
    id: grant.incidentId,
    decide: async (row, now, trx) => {
      if ((await readLinkState(trx, grant, { row, nowMs: clock.nowMs() })) !== "usable") return undefined;
      return {
        type: "acknowledged",
        actorId: grant.channelId,
        detail: { previousState: row.state },
        patch: {
          state: stateAfter(row.state, "acknowledge"),
          acknowledgedAt: now,
          acknowledgedBy: grant.channelId,
        },
      };
    },
  });
}

/** Returns the grant of a token whose channel still has links; undefined for any other. */
async function proveGrant({ knex, secrets }: Parts, token: string): Promise<ProvenGrant | undefined> {
  const grant = verifyAcknowledgeToken(secrets, token);
  const channel = grant && (await findProvenChannel(knex, grant.channelId));
  if (!channel || !hasAcknowledgeLinks(configFromRow(secrets, channel))) return undefined;
  return { ...grant, teamId: channel.teamId };
}

async function findLink(
  { knex, clock }: Pick<Parts, "knex" | "clock">,
  grant: ProvenGrant,
): Promise<AcknowledgeLink | undefined> {
  const row = await findIncidentRow(knex, grant.teamId, grant.incidentId);
  return row && { state: await readLinkState(knex, grant, { row, nowMs: clock.nowMs() }), title: row.title };
}

async function readLinkState(
  db: Knex,
  grant: AcknowledgeGrant,
  { row, nowMs }: { row: IncidentRow; nowMs: number },
): Promise<AcknowledgeLinkState> {
  const lastChangeMs = await findLastStateChangeMs(db, row.key);
  return stateOfLink(grant, { state: row.state, lastChangeMs }, nowMs);
}
