/** Verbs of a team about its pages' subscribers. People subscribe by themselves; a team adds endpoints of its own. */
import {
  type CreatedStatusWebhook,
  type CreateStatusWebhook,
  DomainError,
  newId,
  notFound,
  STATUS_WEBHOOKS_MAX,
  type StatusPageId,
  type StatusSubscriberId,
} from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { findPageRow, type PageRow } from "../pages/store.ts";
import {
  assertMayBeReached,
  isEndpointOf,
  newEndpointSecret,
  sealEndpoint,
  shownEndpoint,
} from "./endpoint.ts";
import {
  countSubscribers,
  deleteSubscriberRow,
  insertWebhook,
  lockSubscribers,
  readEndpoints,
} from "./store.ts";

/**
 * Has each update of the page's notices posted to an endpoint. Only this answer has the secret that signs the requests.
 * @throws DomainError `not_found` when the team has no such page, `invalid` for an address that no request is ever sent to,
 *   `conflict` when the page has a webhook with this URL, `limit_exceeded`
 */
export async function createWebhook(
  ctx: TeamContext,
  { id: pageId, webhook }: { id: StatusPageId; webhook: CreateStatusWebhook },
): Promise<CreatedStatusWebhook> {
  const { teamId } = ctx;
  const { secrets, clock, config } = ctx.services;
  assertMayBeReached(webhook.url, config.egressPrivate === "allow");
  const id = newId("statusSubscriber");
  const endpoint = { url: webhook.url, secret: newEndpointSecret() };
  const shown = shownEndpoint(secrets, endpoint);
  const createdAt = new Date(clock.nowMs());
  await changeRecord(ctx, async (trx) => {
    const page = await findPageRow(trx, teamId, pageId);
    if (!page) throw notFound("Status page");
    await lockSubscribers(trx, page.key);
    if ((await countSubscribers(trx, page.key, "webhook")) >= STATUS_WEBHOOKS_MAX)
      throw new DomainError("limit_exceeded", `A status page has at most ${STATUS_WEBHOOKS_MAX} webhooks`);
    const known = await readEndpoints(trx, page.key);
    const same = known.find((one) => isEndpointOf(secrets, one, webhook.url));
    if (same)
      throw new DomainError(
        "conflict",
        `The status page posts its updates to this URL already, by ${same.id}`,
      );
    const endpointSealed = sealEndpoint(secrets, id, endpoint);
    await insertWebhook(trx, { id, pageKey: page.key, teamId, endpointSealed, createdAt });
    return entryOf(page, { oldValue: null, newValue: `${shown.address} (${shown.fingerprint})` });
  });
  const at = createdAt.toISOString();
  return {
    id,
    type: "webhook",
    ...shown,
    createdAt: at,
    confirmedAt: at,
    secret: endpoint.secret,
  };
}

/**
 * Removes a subscriber, with what is on its way to it.
 * @throws DomainError `not_found`, also the second time
 */
export async function deleteSubscriber(
  ctx: TeamContext,
  { id, subscriberId }: { id: StatusPageId; subscriberId: StatusSubscriberId },
): Promise<void> {
  await changeRecord(ctx, async (trx) => {
    const page = await findPageRow(trx, ctx.teamId, id);
    if (!page || !(await deleteSubscriberRow(trx, { id: subscriberId, pageKey: page.key })))
      throw notFound("Subscriber");
    // The log outlives the subscription: it names no address of a person.
    return entryOf(page, { oldValue: subscriberId, newValue: null });
  });
}

function entryOf({ id, slug }: PageRow, values: { oldValue: string | null; newValue: string | null }) {
  const changedFields = [{ field: "subscribers", ...values }];
  return {
    result: undefined,
    changes: [
      { action: "updated" as const, type: "status_page" as const, resourceId: id, name: slug, changedFields },
    ],
  };
}
