/** Alert channels of Checkly, and the rules by which a check notifies them. */

import { channel, condition, noteMethod } from "../../carry/channels.ts";
import { entryOf } from "../../carry/entry-of.ts";
import type { DraftAlert, ImportDraft } from "../../draft.ts";
import { type Item, textsIn } from "../../item.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Chats that Checkly writes to by a webhook, by its kind of webhook. */
const CHATS: Readonly<Record<string, (url: string | undefined) => Fields>> = {
  WEBHOOK_MSTEAMS: channel.msteams,
  WEBHOOK_DISCORD: channel.discord,
};

/** Channels that have a type of ours, by Checkly's type. */
const TYPES: Readonly<Record<string, (config: Item) => Fields>> = {
  EMAIL: (config) => channel.email(config.get("address").text()),
  SLACK: (config) => channel.chat(config.get("url").text()),
  OPSGENIE: (config) => channel.opsgenie(config.get("apiKey").text(), config.get("region").text()),
  PAGERDUTY: (config) => channel.pager(config.get("serviceKey").text()),
  WEBHOOK: (config) =>
    entryOf(CHATS, config.get("webhookType").text() ?? "")?.(config.get("url").text()) ??
    channel.webhook(config.get("url").text(), {
      method: config.get("method").text(),
      headers: Array.isArray(config.get("headers").value)
        ? Object.fromEntries(
            config
              .get("headers")
              .items()
              .map((one) => [one.get("key").text() ?? "", one.get("value").text() ?? ""]),
          )
        : textsIn(config.get("headers")),
    }),
};

const KNOWN_TYPES =
  /^(?:EMAIL|SLACK|SLACK_APP|WEBHOOK|SMS|CALL|PAGERDUTY|OPSGENIE|MSTEAMS|TELEGRAM|INCIDENTIO|FIREHYDRANT|GITLAB_ALERT|SPIKESH|DISCORD)$/;

/** True for an alert channel of the API. */
export function isAlertChannel(item: Item): boolean {
  return KNOWN_TYPES.test(item.peek("type").text() ?? "") && item.peek("config").isGiven();
}

/** Adds the channel, or notes that there is none like it. */
export function addChannel(item: Item, draft: ImportDraft): void {
  const type = item.get("type").text() ?? "";
  const config = item.get("config");
  item.skip("created_at", "updated_at", "autoSubscribe", "subscriptions", "sslExpiry", "sslExpiryThreshold");
  // Whether a recovery is notified is a matter of the channel's incidents; failures and slowness are rules.
  item.skip("sendRecovery", "sendFailure", "sendDegraded");
  const name =
    config.get("name", "address", "channel", "channelName").filled() ??
    `${type.toLowerCase()} ${item.get("id").text() ?? ""}`;
  const configOf = entryOf(TYPES, type);
  if (!configOf) {
    draft.leftOut(item, `channel "${name}": svc has no channel like ${type}`);
    return;
  }
  draft.channels.set(item.get("id").text() ?? name, { item, name, config: configOf(config) });
  config.skip("webhookType", "account", "serviceName", "priority");
  if (type === "WEBHOOK") noteMethod(config, config.get("method").filled() ?? "POST", draft);
  if (config.get("template").filled() !== undefined)
    draft.leftOut(
      config.get("template"),
      `channel "${name}": a webhook sends the body of svc; see incident templates`,
    );
}

interface RuleContext {
  draft: ImportDraft;
  name: string;
  group: Item | undefined;
  channels: readonly Item[];
  frequencySeconds: number | undefined;
}

/** Returns the rules of a check: failures, slow responses for channels that want them, and certificates. */
export function rulesOf(check: Item, context: RuleContext): DraftAlert[] {
  const { group, channels } = context;
  const subscribed = channelsFor(check, context);
  if (subscribed.size === 0) return [];
  const failing = [...subscribed].filter((id) => wants(channels, id, "sendFailure"));
  const degraded = [...subscribed].filter((id) =>
    channels.some((one) => one.get("id").text() === id && one.get("sendDegraded").flag() === true),
  );
  const expiring = channels.filter(
    (one) => subscribed.has(one.get("id").text() ?? "") && one.get("sslExpiry").flag() === true,
  );
  for (const one of check.get("alertChannelSubscriptions").items()) one.settle();
  const settings =
    group && check.get("useGlobalAlertSettings").flag() !== false && group.get("alertSettings").isGiven()
      ? group.get("alertSettings")
      : check.get("alertSettings");
  const slowMs = check.get("degradedResponseTime").number();
  const days = expiring.flatMap((one) => one.get("sslExpiryThreshold").number() ?? 30);
  return [
    ...(failing.length > 0
      ? [{ conditions: [failureCondition(settings, context)], channels: failing, item: settings }]
      : []),
    ...(degraded.length > 0 && slowMs !== undefined
      ? [
          {
            conditions: [condition.slowerThan(slowMs)],
            channels: degraded,
            item: check.get("degradedResponseTime"),
          },
        ]
      : []),
    ...(expiring.length > 0 && check.get("sslCheckDomain").filled() !== undefined
      ? [
          {
            conditions: [condition.certificateEnds(Math.max(...days))],
            channels: expiring.flatMap((one) => one.get("id").text() ?? []),
            item: check.get("sslCheckDomain"),
          },
        ]
      : []),
  ];
}

function wants(channels: readonly Item[], id: string, what: string): boolean {
  const found = channels.find((one) => one.get("id").text() === id);
  return found?.get(what).flag() !== false;
}

/** Returns the ids of the channels that the check or its group subscribes to, or that name the check or the group themselves. */
function channelsFor(check: Item, { group, channels }: RuleContext): Set<string> {
  const ids = new Set<string>();
  for (const owner of [check, group])
    for (const one of owner?.get("alertChannelSubscriptions").items() ?? []) {
      const id = one.get("alertChannelId", "id").text();
      if (id !== undefined && one.get("activated").flag() !== false) ids.add(id);
    }
  const [checkId, groupId] = [check.get("id").text(), group?.get("id").text()];
  for (const one of channels)
    for (const subscription of one.get("subscriptions").items()) {
      const isOfCheck = checkId !== undefined && subscription.get("checkId").text() === checkId;
      const isOfGroup = groupId !== undefined && subscription.get("groupId").text() === groupId;
      const id = one.get("id").text();
      if ((isOfCheck || isOfGroup) && id !== undefined && subscription.get("activated").flag() !== false)
        ids.add(id);
    }
  return ids;
}

function failureCondition(settings: Item, { draft, name, frequencySeconds = 600 }: RuleContext): Fields {
  const parallel = settings.get("parallelRunFailureThreshold");
  if (parallel.get("enabled").flag() === true)
    draft.leftOut(
      parallel,
      "a share of locations is not carried over: the rule counts failures in a row at any one",
      name,
    );
  parallel.settle();
  settings.get("reminders").skip("interval");
  const reminders = settings.get("reminders").get("amount");
  if ((reminders.number() ?? 0) > 0)
    draft.leftOut(
      reminders,
      "reminders are not carried over: incidents tell how notifications are repeated",
      name,
    );
  if (settings.get("escalationType").text() !== "TIME_BASED")
    return condition.failuresInARow(
      settings.get("runBasedEscalation").get("failedRunThreshold").number() ?? 1,
    );
  const minutes = settings.get("timeBasedEscalation").get("minutesFailingThreshold").number() ?? 5;
  const count = Math.max(1, Math.ceil((minutes * 60) / Math.max(1, frequencySeconds)) + 1);
  draft.changed(settings, `${minutes} minutes of failure are ${count} failures in a row now`, name);
  return condition.failuresInARow(count);
}
