import { notFound, type StatusPageId, type StatusSubscriber, statusSubscriberSchema } from "@svc/contract";
import * as z from "zod";
import type { ListSource } from "../../platform/http/list-answer.ts";
import type { Services } from "../../platform/services.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { findPageRow } from "../pages/store.ts";
import { openEndpoint, shownEndpoint } from "./endpoint.ts";
import { listSubscriberRows, type SubscriberRow } from "./store.ts";

/**
 * Returns the list of a page's subscribers, newest first.
 * @throws DomainError `not_found` when the team has no such page
 */
export async function listSubscribers(
  { services, teamId }: TeamContext,
  { id }: { id: StatusPageId },
): Promise<ListSource<SubscriberRow>> {
  const page = await findPageRow(services.knex, teamId, id);
  if (!page) throw notFound("Status page");
  const nowMs = services.clock.nowMs();
  return {
    read: (after, rowsMax) =>
      listSubscriberRows(services.knex, { pageKey: page.key }, { after, rowsMax, nowMs }),
    isFull: true,
    textOf: (row) => JSON.stringify(z.encode(statusSubscriberSchema, subscriberFromRow(services, row))),
    cursorOf: (row) => [row.key],
  };
}

/** Returns the list of all subscribers of the team, each with the id of its page as `statusPageId`, newest first. */
export function listSubscribersOfTeam({
  services,
  teamId,
}: TeamContext): ListSource<SubscriberRow & { pageId: StatusPageId }> {
  const nowMs = services.clock.nowMs();
  return {
    read: (after, rowsMax) => listSubscriberRows(services.knex, { teamId }, { after, rowsMax, nowMs }),
    isFull: true,
    textOf: (row) => JSON.stringify({ statusPageId: row.pageId, ...subscriberFromRow(services, row) }),
    cursorOf: (row) => [row.key],
  };
}

/** Returns a subscriber as the API shows it. */
function subscriberFromRow(
  { secrets }: Pick<Services, "secrets">,
  { id, type, address, endpointSealed, createdAt, confirmedAt }: SubscriberRow,
): StatusSubscriber {
  const shown = address === null ? shownSealed(secrets, id, endpointSealed) : { address, fingerprint: null };
  return { id, type, ...shown, createdAt, confirmedAt };
}

/** Returns a webhook's URL as it is shown; one that no known key opens is still distinguished by its id. */
function shownSealed(
  secrets: Services["secrets"],
  id: StatusSubscriber["id"],
  sealed: Buffer | null,
): Pick<StatusSubscriber, "address" | "fingerprint"> {
  const unknown = { address: "***", fingerprint: null };
  try {
    return sealed ? shownEndpoint(secrets, openEndpoint(secrets, id, sealed)) : unknown;
  } catch {
    return unknown;
  }
}
