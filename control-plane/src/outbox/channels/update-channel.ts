import { isDeepStrictEqual } from "node:util";
import {
  type ChannelId,
  DomainError,
  type IncidentTemplate,
  invalidField,
  keepMaskedChannelConfig,
  notFound,
  type TeamId,
  type UpdateChannel,
} from "@svc/contract";
import type { Knex } from "knex";
import { type ChangeEntry, changeRecord } from "../../accounts/change-log/change-record.ts";
import { changedFields } from "../../accounts/change-log/changed-fields.ts";
import { refuseVaultReferences } from "../../checks/team-secrets/refuse-references.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import { assertSameVersion } from "../../platform/http/record-version.ts";
import type { Services } from "../../platform/services.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { JobOverrun, TeamQueueFull, threadPool } from "../../platform/threads/thread-pool.ts";
import { quietHoursOf } from "../quiet-hours.ts";
import { isForMachines } from "../recipient.ts";
import { describeChannel, describeChannelMasked } from "./described.ts";
import { findReferrer } from "./references.ts";
import { type ChannelModel, submittedFromRow } from "./row.ts";
import { lockChannelRow, patchChannelRow, releaseHeldNotifications } from "./store.ts";
import { checkTemplatesJob } from "./template-jobs.ts";

/** The channel to change, and its new fields. */
export interface UpdateChannelInput {
  id: ChannelId;
  update: UpdateChannel;
}

/**
 * Changes the given fields of a channel. Notifications that wait in the outbox go out by the new settings, those that quiet hours
 * hold included.
 * @throws DomainError `not_found`; `invalid` when the type would change, or for a field that the type does not take;
 *   `conflict` when another channel of the team has the name
 */
export async function updateChannel(ctx: TeamContext, { id, update }: UpdateChannelInput): Promise<void> {
  const { services, teamId } = ctx;
  const { secrets, clock } = services;
  const { name, channel, incidentTemplate, incidentSubscribed } = update;
  if (channel) refuseVaultReferences(channel, "channel");
  if (incidentTemplate) await assertCompiles(teamId, incidentTemplate);
  await conflictWhenInUse({ noun: "notification channel", name }, () =>
    changeRecord(ctx, async (trx) => {
      const current = await lockChannelRow(trx, teamId, id);
      if (!current) throw notFound("Notification channel");
      assertSameVersion(ctx, current);
      assertFitsType(current, update);
      if (incidentSubscribed === false) await assertNotOfIncidents(trx, teamId, current);
      const config = channel && keepMaskedChannelConfig(channel, submittedFromRow(secrets, current));
      const updated = await patchChannelRow(trx, current.key, {
        name,
        incidentTemplate,
        incidentSubscribed,
        ...(config && { config: secrets.seal(JSON.stringify(config), current.id) }),
        updatedAt: new Date(clock.nowMs()).toISOString(),
      });
      if (
        config &&
        !isDeepStrictEqual(quietHoursOf(config), quietHoursOf(submittedFromRow(secrets, current)))
      )
        await releaseHeldNotifications(trx, current.key);
      return { result: undefined, changes: [entryOf(services, current, updated)] };
    }),
  );
}

/** Refuses to end a channel's incident events while something notifies by them. */
async function assertNotOfIncidents(
  trx: Knex,
  teamId: TeamId,
  { id }: Pick<ChannelModel, "id">,
): Promise<void> {
  const referrer = await findReferrer(trx, teamId, { channelId: id, isOfIncidents: true });
  if (referrer !== undefined)
    throw invalidField(
      "incidentSubscribed",
      `the ${referrer} notifies the channel of incidents; take it out there first`,
    );
}

/**
 * Refuses a template that exceeds a limit or takes too long to compile. One with a mistake is taken: events are sent
 * with the default body then, and the log of deliveries says why.
 */
async function assertCompiles(teamId: TeamId, { overrides }: IncidentTemplate): Promise<void> {
  const input = Object.fromEntries(
    Object.entries(overrides).flatMap(([eventType, override]) =>
      override ? [[eventType, override.body] as const] : [],
    ),
  );
  const problems = await threadPool.run(checkTemplatesJob, { teamId, input }).catch((error) => {
    if (error instanceof JobOverrun)
      throw invalidField("incidentTemplate", "the templates take too long to compile");
    if (error instanceof TeamQueueFull)
      throw new DomainError("unavailable", "Too many templates of the team are being compiled", {
        retryAfterSeconds: 2,
        cause: error,
      });
    throw error;
  });
  for (const [eventType, problem] of Object.entries(problems))
    throw invalidField("incidentTemplate", `incidentTemplate.overrides.${eventType}.body: ${problem}`);
}

function assertFitsType(
  { type }: ChannelModel,
  { channel, incidentTemplate, incidentSubscribed }: UpdateChannel,
): void {
  if (channel && channel.type !== type) {
    const message = `the type of a channel can't change; this one is ${type}`;
    const details = { fieldErrors: { channel: [message] }, formErrors: [] };
    throw new DomainError("invalid", message, { details });
  }
  if (isForMachines(type)) return;
  if (incidentTemplate) throw invalidField("incidentTemplate", "only webhook channels take a template");
  if (incidentSubscribed !== undefined)
    throw invalidField("incidentSubscribed", "only webhook channels get incident events");
}

function entryOf({ secrets }: Services, before: ChannelModel, after: ChannelModel): ChangeEntry {
  return {
    action: "updated",
    type: "channel",
    resourceId: after.id,
    name: after.name,
    changedFields: changedFields(describeChannel(secrets, before), describeChannel(secrets, after), {
      before: describeChannelMasked(secrets, before),
      after: describeChannelMasked(secrets, after),
    }),
  };
}
