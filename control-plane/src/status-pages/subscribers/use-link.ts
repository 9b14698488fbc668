/** Confirms and ends subscriptions by the links of mails, without anybody signing in. */
import type { Services } from "../../platform/services.ts";
import { isConfirmToken, isUnsubscribeToken, subscriberNamedBy } from "./link.ts";
import {
  confirmSubscriberRow,
  countSubscribers,
  deleteSubscriberRow,
  findLinkedSubscriber,
  type LinkedSubscriber,
  lockSubscribers,
} from "./store.ts";

type Parts = Pick<Services, "knex" | "clock" | "config">;

/** A page to which somebody subscribes by a link. */
export interface LinkedPage {
  slug: string;
  title: string;
}

/**
 * The use of a link that confirms.
 * - `usable`: it waits for its button
 * - `confirmed`: the address subscribes
 * - `full`: the page has got as many subscribers as it may
 * - `gone`: it was altered, has expired, the subscription was ended, or the page takes none by mail any more
 */
export type ConfirmLink = ({ state: "usable" | "confirmed" | "full" } & LinkedPage) | { state: "gone" };

/** Returns the use of a link that confirms. Changes nothing. */
export async function findConfirmLink(parts: Parts, token: string): Promise<ConfirmLink> {
  const found = await findToConfirm(parts, token);
  if (!found) return { state: "gone" };
  const { slug, title, isConfirmed } = found;
  return { state: isConfirmed ? "confirmed" : "usable", slug, title };
}

/** Confirms a subscription. Does nothing for a link that is not usable; harmless twice and at once. */
export async function confirmByLink(parts: Parts, token: string): Promise<ConfirmLink> {
  const { knex, clock, config } = parts;
  const found = await findToConfirm(parts, token);
  if (!found || found.isConfirmed) return findConfirmLink(parts, token);
  return knex.transaction(async (trx) => {
    await lockSubscribers(trx, found.pageKey);
    // Looked at again: until the page was locked, it could be changed.
    const held = await findToConfirm({ ...parts, knex: trx }, token);
    if (!held) return { state: "gone" };
    const { key, pageKey, slug, title, isConfirmed } = held;
    if (!isConfirmed && (await countSubscribers(trx, pageKey)) >= config.caps.statusSubscribersPerPage)
      return { state: "full", slug, title };
    await confirmSubscriberRow(trx, key, clock.nowMs());
    return { state: "confirmed", slug, title };
  });
}

async function findToConfirm(
  { knex, clock }: Pick<Parts, "knex" | "clock">,
  token: string,
): Promise<LinkedSubscriber | undefined> {
  const nowMs = clock.nowMs();
  const id = subscriberNamedBy(token);
  const found = id && (await findLinkedSubscriber(knex, id, nowMs));
  if (!found?.linkKey || !found.isPublished || !found.hasMailSubscriptions) return undefined;
  return isConfirmToken(token, { id: found.id, linkKey: found.linkKey }, nowMs) ? found : undefined;
}

/**
 * The use of a link that unsubscribes.
 * - `usable`: it waits for its button; without a title when the page is hidden
 * - `ended`: there is no such subscription any more
 * - `invalid`: it is malformed, or was altered
 */
export type UnsubscribeLink = { state: "usable"; title?: string } | { state: "ended" | "invalid" };

/** Returns the use of a link that unsubscribes. Changes nothing. */
export async function findUnsubscribeLink(
  { knex, clock }: Pick<Parts, "knex" | "clock">,
  token: string,
): Promise<UnsubscribeLink> {
  const id = subscriberNamedBy(token);
  if (!id) return { state: "invalid" };
  const found = await findLinkedSubscriber(knex, id, clock.nowMs());
  if (!found) return { state: "ended" };
  const { linkKey, isPublished, title } = found;
  if (!linkKey || !isUnsubscribeToken(token, { id, linkKey })) return { state: "invalid" };
  return { state: "usable", ...(isPublished && { title }) };
}

/**
 * Ends a subscription: the address is deleted, with the mails that are on their way to it. Does nothing the second time, or for a link
 * that is invalid.
 * @returns the use of the link afterwards, and whether there was a subscription to end
 */
export async function unsubscribeByLink(
  parts: Pick<Parts, "knex" | "clock">,
  token: string,
): Promise<{ state: "ended" | "invalid"; wasThere: boolean }> {
  const { state } = await findUnsubscribeLink(parts, token);
  const id = subscriberNamedBy(token);
  if (state === "invalid" || !id) return { state: "invalid", wasThere: false };
  if (state === "usable") await deleteSubscriberRow(parts.knex, { id });
  return { state: "ended", wasThere: state === "usable" };
}
