/** What the links of mails do. None of it needs to know who the reader is. */
import type { Services } from "../../platform/services.ts";
import { verifyConfirmToken, verifyUnsubscribeToken } from "./link.ts";
import {
  confirmSubscriberRow,
  countSubscribers,
  deleteSubscriberRow,
  findLinkedSubscriber,
  lockSubscribers,
} from "./store.ts";

type Parts = Pick<Services, "knex" | "clock" | "secrets" | "config">;

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
 * - `gone`: it was altered, has expired, or the subscription was ended
 */
export type ConfirmLink = ({ state: "usable" | "confirmed" | "full" } & LinkedPage) | { state: "gone" };

/** Returns the use of a link that confirms. Changes nothing. */
export async function findConfirmLink({ knex, clock, secrets }: Parts, token: string): Promise<ConfirmLink> {
  const nowMs = clock.nowMs();
  const id = verifyConfirmToken(secrets, token, nowMs);
  const found = id && (await findLinkedSubscriber(knex, id, nowMs));
  if (!found) return { state: "gone" };
  const { slug, title, isConfirmed } = found;
  return { state: isConfirmed ? "confirmed" : "usable", slug, title };
}

/** Confirms a subscription. Does nothing for a link that is not usable; harmless twice and at once. */
export async function confirmByLink(parts: Parts, token: string): Promise<ConfirmLink> {
  const { knex, clock, secrets, config } = parts;
  const nowMs = clock.nowMs();
  const id = verifyConfirmToken(secrets, token, nowMs);
  const found = id && (await findLinkedSubscriber(knex, id, nowMs));
  if (!found) return { state: "gone" };
  const { key, pageKey, slug, title, isConfirmed } = found;
  if (isConfirmed) return { state: "confirmed", slug, title };
  const isFull = await knex.transaction(async (trx) => {
    await lockSubscribers(trx, pageKey);
    if ((await countSubscribers(trx, pageKey)) >= config.caps.statusSubscribersPerPage) return true;
    await confirmSubscriberRow(trx, key, nowMs);
    return false;
  });
  return { state: isFull ? "full" : "confirmed", slug, title };
}

/** Returns the page to which the token's subscriber subscribes; undefined when it does not, or the token was altered. Changes nothing. */
export async function findUnsubscribeLink(
  { knex, clock, secrets }: Parts,
  token: string,
): Promise<LinkedPage | undefined> {
  const id = verifyUnsubscribeToken(secrets, token);
  return id && findLinkedSubscriber(knex, id, clock.nowMs());
}

/** Ends a subscription: the address is deleted, with the mails that are on their way to it. Does nothing the second time. */
export async function unsubscribeByLink({ knex, secrets }: Parts, token: string): Promise<void> {
  const id = verifyUnsubscribeToken(secrets, token);
  if (id) await deleteSubscriberRow(knex, { id });
}
