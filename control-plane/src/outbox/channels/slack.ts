/**
 * Slack, by the token of a bot. The first message about an incident begins a thread, in which the others go: its timestamp is remembered
 * with the Slack channel that it is in, since a thread is nowhere else.
 */
import { withoutTrailingSlashes } from "@svc/contract";
import type { GuardedResponse } from "@svc/egress";
import { retryAfterMsOf } from "../../platform/http/retry-after.ts";
import { jsonOf, sendRequest } from "./http-request.ts";
import { defineSender, type SendContext, SendError, type SendReport } from "./sender.ts";
import { type SlackLayout, slackLayoutOf } from "./slack-layout.ts";

/** A call of `chat.postMessage`, apart from the thread. */
export interface SlackMessage {
  url: string;
  botToken: string;
  /** True when the message begins a thread although there is one: a location that fails again is another story. */
  beginsAnew: boolean;
  body: SlackLayout & { channel: string; unfurl_links: false; unfurl_media: false };
}

/** Errors of Slack that may be over later; all others are final. */
const PASSING_ERRORS = new Set([
  "ratelimited",
  "rate_limited",
  "internal_error",
  "fatal_error",
  "service_unavailable",
  "request_timeout",
  "team_added_to_org",
]);
/** Errors by which Slack says that there is no thread to write into: its first message was deleted, or threads are off. */
const THREAD_ERRORS = new Set([
  "thread_not_found",
  "message_not_found",
  "cannot_reply_to_message",
  "restricted_action_non_threadable_channel",
]);

/** An answer of Slack's: outcome, error and timestamp of the message. */
type SlackAnswer = { response: GuardedResponse } & Partial<Record<"ok" | "error" | "ts", unknown>>;

/** Posts one message per notification. */
export const slack = defineSender("slack", {
  render: (announcement, { botToken, channel, apiUrl }): SlackMessage => ({
    url: `${withoutTrailingSlashes(apiUrl)}/chat.postMessage`,
    botToken,
    beginsAnew: announcement.notification.about === "location" && announcement.reopens,
    body: { ...slackLayoutOf(announcement), channel, unfurl_links: false, unfurl_media: false },
  }),
  send: async (message, context) => {
    const { channel } = message.body;
    const thread = message.beginsAnew ? undefined : threadIn(channel, context.externalId);
    if (thread === undefined) return reportOf(channel, await post(message, context), context);
    const answer = await post(message, context, thread);
    if (answer.ok === true) return { httpStatus: answer.response.status };
    if (THREAD_ERRORS.has(String(answer.error)))
      return reportOf(channel, await post(message, context), context);
    throw refusalOf(answer, context);
  },
});

async function post(
  { url, botToken, body }: SlackMessage,
  context: SendContext,
  thread?: string,
): Promise<SlackAnswer> {
  const response = await sendRequest(context, {
    url,
    method: "POST",
    headers: { Authorization: `Bearer ${botToken}` },
    body: thread === undefined ? body : { ...body, thread_ts: thread },
  });
  return { ...jsonOf(response), response };
}

/** Returns the report of a message that begins a thread. */
function reportOf(channel: string, answer: SlackAnswer, context: SendContext): SendReport {
  if (answer.ok !== true) throw refusalOf(answer, context);
  const { ts, response } = answer;
  return {
    httpStatus: response.status,
    ...(typeof ts === "string" && { externalId: `${channel}/${ts}` }),
  };
}

/** Returns the timestamp of the thread in this Slack channel; undefined when there is none, or it is in another. */
function threadIn(channel: string, externalId: string | undefined): string | undefined {
  const prefix = `${channel}/`;
  return externalId?.startsWith(prefix) ? externalId.slice(prefix.length) : undefined;
}

/** Returns the error of an answer that is 200, but no success. */
function refusalOf({ error, response }: SlackAnswer, { nowMs }: SendContext): SendError {
  const { status: httpStatus, headers } = response;
  if (typeof error !== "string")
    return new SendError("Slack did not answer with an outcome; is apiUrl right?", {
      mayRetry: true,
      httpStatus,
    });
  const mayRetry = PASSING_ERRORS.has(error);
  const retryAfterMs = mayRetry ? retryAfterMsOf(headers["retry-after"], nowMs()) : undefined;
  return new SendError(`Slack answered ${error}`, {
    mayRetry,
    httpStatus,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}
