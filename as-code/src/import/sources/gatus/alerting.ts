/** Alerting of Gatus: its providers as channels, the alerts of an endpoint as rules. */

import { channel, condition, noteMethod } from "../../carry/channels.ts";
import { entryOf } from "../../carry/entry-of.ts";
import { noteParts } from "../../carry/parts.ts";
import type { DraftAlert, ImportDraft } from "../../draft.ts";
import type { Item } from "../../item.ts";
import { gatusText } from "./variables.ts";

type Fields = Readonly<Record<string, unknown>>;

const FAILURE_THRESHOLD = 3;
const SUCCESS_THRESHOLD = 2;

/** Providers that have a channel type of ours, by name. */
const PROVIDERS: Readonly<Record<string, (provider: Item, draft: ImportDraft) => Fields>> = {
  slack: (one, draft) => channel.chat(gatusText(one.get("webhook-url"), draft)),
  mattermost: (one, draft) => channel.chat(gatusText(one.get("webhook-url"), draft)),
  rocketchat: (one, draft) => channel.chat(gatusText(one.get("webhook-url"), draft)),
  discord: (one, draft) => channel.discord(gatusText(one.get("webhook-url"), draft)),
  telegram: (one, draft) =>
    channel.telegram({
      botToken: gatusText(one.get("token"), draft),
      chatId: gatusText(one.get("id"), draft),
      topicId: one.get("topic-id").number(),
      apiUrl: one.get("api-url").filled(),
    }),
  ntfy: (one, draft) =>
    channel.ntfy({
      serverUrl: one.get("url").filled(),
      topic: gatusText(one.get("topic"), draft),
      token: gatusText(one.get("token"), draft),
    }),
  opsgenie: (one, draft) => channel.opsgenie(gatusText(one.get("api-key"), draft)),
  "teams-workflows": (one, draft) => channel.msteams(gatusText(one.get("webhook-url"), draft)),
  email: (one, draft) => channel.email(gatusText(one.get("to"), draft)),
  pagerduty: (one, draft) => channel.pager(gatusText(one.get("integration-key"), draft)),
  custom: (one, draft) => {
    const headers = one
      .get("headers")
      .entries()
      .map(([name, value]) => [name, gatusText(value, draft) ?? ""]);
    if (one.get("body").isGiven())
      draft.changed(one.get("body"), "a webhook sends the body of svc, not one of its own");
    noteMethod(one, one.get("method").filled() ?? "GET", draft);
    return channel.webhook(gatusText(one.get("url"), draft), {
      method: one.get("method").text(),
      headers: Object.fromEntries(headers),
    });
  },
};

/** Returns the default alert of each provider. */
export function defaultAlerts(alerting: Item): Map<string, Item> {
  return new Map(alerting.entries().map(([name, provider]) => [name, provider.get("default-alert")]));
}

/** Adds a channel for each provider that has a counterpart. */
export function channelsOf(alerting: Item, draft: ImportDraft): void {
  for (const [name, provider] of alerting.entries()) {
    passOver(provider);
    const configOf = entryOf(PROVIDERS, name);
    if (configOf) draft.channels.set(name, { item: provider, name, config: configOf(provider, draft) });
    else if (name === "teams")
      draft.leftOut(
        provider,
        "connectors of Microsoft Teams are retired; make a workflow with a webhook, and a channel of type msteams",
      );
    else draft.leftOut(provider, `svc has no channel like ${name}`);
    for (const override of provider.get("overrides").items())
      draft.leftOut(override, "overrides by group are not carried over; make a channel of its own");
  }
}

/** Passes over what says how Gatus itself sends mail and writes messages, and whether it tells of a recovery, as svc always does. */
function passOver(provider: Item): void {
  provider.skip("from", "username", "password", "host", "port", "client", "title", "graph-version");
  provider.get("default-alert").skip("send-on-resolved", "minimum-reminder-interval", "type");
}

/** Returns the rule of one alert of an endpoint; none when it is switched off. */
export function alertOf(
  alert: Item,
  { draft, name, defaults }: { draft: ImportDraft; name: string; defaults: ReadonlyMap<string, Item> },
): DraftAlert[] {
  const type = alert.get("type").text() ?? "";
  const standard = defaults.get(type);
  const setting = (field: string) => {
    const own = alert.get(field);
    return own.isGiven() || !standard ? own : standard.get(field);
  };
  alert.skip("send-on-resolved");
  noteParts(
    alert,
    { "minimum-reminder-interval": "notifications are repeated by incidents, not by monitors" },
    { draft, monitor: name },
  );
  if (setting("enabled").flag() === false) {
    draft.leftOut(alert, "the alert is switched off", name);
    return [];
  }
  if (alert.get("provider-override").isGiven())
    draft.leftOut(
      alert.get("provider-override"),
      "a provider is not overridden; make a channel of its own",
      name,
    );
  const description = gatusText(setting("description"), draft);
  return [
    {
      ...(description === undefined || description === "" ? {} : { name: description }),
      conditions: [condition.failuresInARow(setting("failure-threshold").number() ?? FAILURE_THRESHOLD)],
      channels: [type],
      recovery: { consecutiveSuccesses: setting("success-threshold").number() ?? SUCCESS_THRESHOLD },
      item: alert,
    },
  ];
}
