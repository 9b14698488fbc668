import { DAY_MS, HOUR_MS, newId, notFound, subscriberAddressSchema } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import { insertConfirmation } from "../deliveries/delivery-store.ts";
import { findPublishedPage } from "../pages/store.ts";
import { newLinkKey } from "./link.ts";
import { countRequests, countSubscribers, holdAddress, insertRequest, lockSubscribers } from "./store.ts";

/** Time within which a subscription has to be confirmed. */
export const UNCONFIRMED_LIFETIME_MS = DAY_MS;
/** Requests for one page in an hour, whoever makes them. */
export const PAGE_REQUESTS_PER_HOUR = 100;
/** Requests for all pages of a team in an hour, those that are gone included. */
export const TEAM_REQUESTS_PER_HOUR = 200;
/** Mails in an hour by which subscriptions are confirmed, over all teams of the service. */
export const MAILED_REQUESTS_PER_HOUR = 2_000;
/** Mails to one address in a day by which subscriptions are confirmed, over all pages of the service. */
export const ADDRESS_REQUESTS_PER_DAY = 3;

/** Requests with the other purpose of their signature: the hash of an address, which is kept when the address is not. */
const ADDRESS_PURPOSE = "status-subscription-address";

/**
 * Answer to a request to subscribe. It says nothing of the address but its form.
 * - `asked`: a mail goes to the address, unless it subscribes already or had too many
 * - `invalid`: it is no mail address
 * - `off`: the page takes no subscriptions by mail
 * - `busy`: too many ask at this page, its team's or all; `full`: it has as many subscribers as it may
 */
export type SubscribeOutcome = "asked" | "invalid" | "off" | "busy" | "full";

/** A page that was asked, and what came of it. */
export interface AskedPage {
  slug: string;
  title: string;
  outcome: SubscribeOutcome;
}

/**
 * Has a mail sent to an address, by whose link it subscribes to a published page. Safe to repeat: a confirmed address is left alone.
 * @throws DomainError `not_found` when no page with the slug is published
 */
export async function subscribe(
  services: Pick<Services, "knex" | "clock" | "config" | "secrets">,
  { slug, email }: { slug: string; email: string },
): Promise<AskedPage> {
  const { knex, clock, config, secrets } = services;
  const page = await findPublishedPage(knex, slug);
  if (!page) throw notFound("Status page");
  const answered = (outcome: SubscribeOutcome): AskedPage => ({ slug, title: page.title, outcome });
  if (!page.hasMailSubscriptions || !config.smtpUrl) return answered("off");
  const parsed = subscriberAddressSchema.safeParse(email);
  if (!parsed.success) return answered("invalid");
  const address = parsed.data.toLowerCase();
  const nowMs = clock.nowMs();
  const { teamId } = page;
  const addressHash = secrets.sign(ADDRESS_PURPOSE, mailboxOf(address));
  const request = { teamId, pageKey: page.key, addressHash };
  return knex.transaction(async (trx) => {
    await lockSubscribers(trx, page.key);
    const counts = await countRequests(trx, request, {
      hourAgoMs: nowMs - HOUR_MS,
      dayAgoMs: nowMs - DAY_MS,
    });
    // Limits of the page come before those of the address: no answer may tell whether an address is known.
    if (
      counts.ofPage >= PAGE_REQUESTS_PER_HOUR ||
      counts.ofTeam >= TEAM_REQUESTS_PER_HOUR ||
      counts.mailedOfAll >= MAILED_REQUESTS_PER_HOUR
    )
      return answered("busy");
    if ((await countSubscribers(trx, page.key)) >= config.caps.statusSubscribersPerPage)
      return answered("full");
    const subscriberKey =
      counts.mailedToAddress >= ADDRESS_REQUESTS_PER_DAY
        ? undefined
        : await holdAddress(trx, {
            id: newId("statusSubscriber"),
            pageKey: page.key,
            teamId,
            address,
            linkKey: newLinkKey(),
            createdAt: new Date(nowMs),
            unconfirmedUntil: new Date(nowMs + UNCONFIRMED_LIFETIME_MS),
          });
    const isMailed =
      subscriberKey !== undefined && (await insertConfirmation(trx, { teamId, subscriberKey, nowMs }));
    await insertRequest(trx, { ...request, isMailed, requestedAt: new Date(nowMs) });
    return answered("asked");
  });
}

/** Returns the address without a tag, which leads to the same mailbox: `ada+x@example.com` is `ada@example.com`. */
function mailboxOf(address: string): string {
  return address.replace(/\+[^@]*(?=@)/, "");
}
