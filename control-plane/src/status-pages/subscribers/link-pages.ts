/** Pages about subscriptions. They work without scripts, and tell of a status page its title alone. */
import { escapeHtml, htmlPage } from "../../platform/http/html-page.ts";
import { CONFIRM_PATH, UNSUBSCRIBE_PATH } from "./link.ts";
import { ADDRESS_REQUESTS_PER_DAY, type AskedPage, type SubscribeOutcome } from "./subscribe.ts";
import type { ConfirmLink, LinkedPage, UnsubscribeLink } from "./use-link.ts";

/** Status of the answer to a request to subscribe. */
export const SUBSCRIBE_STATUS: Record<SubscribeOutcome, number> = {
  asked: 200,
  invalid: 400,
  off: 409,
  busy: 429,
  full: 409,
};

const SUBSCRIBE_TEXTS: Record<SubscribeOutcome, { title: string; text: string }> = {
  asked: {
    title: "Look into your mailbox",
    text: `A mail is on its way, with a link by which you confirm that the address is yours. Until then nothing else is sent, and after a day the address is forgotten. None comes when the address subscribes already, or was asked ${ADDRESS_REQUESTS_PER_DAY} times within a day.`,
  },
  invalid: { title: "This is no mail address", text: "Go back, and write it as in name@example.com." },
  off: { title: "The page sends no mails", text: "Its feed tells of the same notices." },
  busy: { title: "Too many ask at the moment", text: "Try again in an hour." },
  full: { title: "The page takes no further subscribers", text: "Its feed tells of the same notices." },
};

/** Returns the answer to a request that names no page which is published. */
export function noSuchPage(): string {
  return htmlPage({
    title: "There is no such status page",
    body: "<p>Its address is another, or it is gone.</p>",
  });
}

/** Returns the answer to a request whose input is not valid. */
export function invalidRequestPage(): string {
  return htmlPage({
    title: "This can't be used",
    body: "<p>Go back, and try it again as it was offered.</p>",
  });
}

/** Returns the answer to one of too many requests. */
export function tooManyRequestsPage(retryAfterSeconds: number): string {
  return htmlPage({
    title: "Too many requests from your network",
    body: `<p>Nothing has been changed. Try again in ${retryAfterSeconds} seconds.</p>`,
  });
}

/** Returns the answer to a form without a mail address. */
export function invalidAddressPage(): string {
  const { title, text } = SUBSCRIBE_TEXTS.invalid;
  return htmlPage({ title, body: `<p>${text}</p>` });
}

/** Returns the answer to a request to subscribe. */
export function askedPage({ outcome, ...page }: AskedPage): string {
  const { title, text } = SUBSCRIBE_TEXTS[outcome];
  return htmlPage({ title, body: `<p>${text}</p>\n${backTo(page)}` });
}

/** Returns the page of a link that confirms: a button while it may be used, and what came of it otherwise. */
export function confirmPage(token: string, link: ConfirmLink): string {
  switch (link.state) {
    case "usable":
      return htmlPage({
        title: "Subscribe by mail?",
        body: `<p>${escapeHtml(link.title)}</p>
<p>You get a mail for each update of an incident or of maintenance. Each has a link that ends it.</p>
${buttonTo(CONFIRM_PATH, token, "Subscribe")}`,
      });
    case "confirmed":
      return htmlPage({
        title: "You subscribe",
        body: `<p>Updates are mailed to you from now on.</p>\n${backTo(link)}`,
      });
    case "full":
      return htmlPage({
        title: SUBSCRIBE_TEXTS.full.title,
        body: `<p>${SUBSCRIBE_TEXTS.full.text}</p>\n${backTo(link)}`,
      });
    case "gone":
      return htmlPage({
        title: "This link does not work any more",
        body: "<p>A day has passed, the subscription was ended, or the page sends no mails any more. Subscribe at the status page again.</p>",
      });
  }
}

/** Status of the answer to a link that unsubscribes. */
export const UNSUBSCRIBE_STATUS: Record<UnsubscribeLink["state"], number> = {
  usable: 200,
  ended: 200,
  invalid: 400,
};

/** Returns the page of a link that unsubscribes. It claims no success that it can't know of. */
export function unsubscribePage(token: string, link: UnsubscribeLink): string {
  switch (link.state) {
    case "usable":
      return htmlPage({
        title: "End the subscription?",
        body: `${link.title === undefined ? "" : `<p>${escapeHtml(link.title)}</p>\n`}<p>Your address is deleted, and nothing further is mailed to you.</p>
${buttonTo(UNSUBSCRIBE_PATH, token, "Unsubscribe")}`,
      });
    case "ended":
      return htmlPage({
        title: "This subscription has ended",
        body: "<p>Nothing further is mailed for it. Should you have subscribed anew since, use the link in the newest mail.</p>",
      });
    case "invalid":
      return htmlPage({
        title: "This link does not work",
        body: "<p>It is not complete, or was altered: nothing has been changed. Use the link in a newer mail, as it stands there.</p>",
      });
  }
}

function buttonTo(path: string, token: string, label: string): string {
  return `<form method="post" action="${path}?${escapeHtml(new URLSearchParams({ token }).toString())}">
<p class="actions"><button type="submit">${label}</button></p>
</form>`;
}

function backTo({ slug, title }: LinkedPage): string {
  return `<p><a href="/status/${escapeHtml(slug)}">${escapeHtml(title)}</a></p>`;
}
