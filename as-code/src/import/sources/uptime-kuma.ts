/** Uptime Kuma: the JSON backup of its version 1, the monitor list that its version 2 sends to pages, or the rows of its database. */

import { channel, condition, noteMethod } from "../carry/channels.ts";
import { entryOf } from "../carry/entry-of.ts";
import { noteParts } from "../carry/parts.ts";
import type { DraftAlert, ImportDraft } from "../draft.ts";
import { defineImportSource } from "../import-source.ts";
import { type Item, textsIn } from "../item.ts";
import { checkOf } from "./uptime-kuma/checks.ts";
import { passOver } from "./uptime-kuma/passed-over.ts";
import { isTable, rowsOf } from "./uptime-kuma/tables.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Days before its end at which Uptime Kuma first notifies of a certificate. */
const CERTIFICATE_DAYS = 21;

/** Uptime Kuma's backup or monitor list. */
export const uptimeKuma = defineImportSource({
  type: "uptime-kuma",
  title: "Uptime Kuma",
  expects:
    "the JSON backup of Uptime Kuma 1, the monitor list of version 2, or the tables of its database as JSON",
  recognises: (root) =>
    root.peek("monitorList").isGiven() ||
    root.peek("notificationList").isGiven() ||
    isTable(root) ||
    membersOf(root).some(isMonitor),
  convert(files, draft) {
    const tables = rowsOf(files);
    const roots = files.filter((file) => !isTable(file));
    for (const root of roots) root.skip("version");
    const notifications = roots.flatMap((root) => membersOf(root.get("notificationList")));
    for (const notification of [...notifications, ...tables.notifications]) addChannel(notification, draft);
    const listed = roots.flatMap((root) => {
      const list = root.get("monitorList");
      return list.isGiven() ? membersOf(list) : membersOf(root).filter(isMonitor);
    });
    const monitors = [...listed, ...tables.monitors];
    const proxies = new Map(
      [...roots.flatMap((root) => membersOf(root.get("proxyList"))), ...tables.proxies].map((one) => [
        one.get("id").text() ?? "",
        one,
      ]),
    );
    const groups = new Map(
      monitors
        .filter((one) => one.get("type").text() === "group")
        .map((one) => [one.get("id").text() ?? "", one.get("name").text() ?? ""]),
    );
    for (const monitor of monitors)
      if (monitor.get("type").text() === "group") monitor.settle();
      else addMonitor(monitor, { draft, groups, proxies });
  },
});

/** Lists the members of a list, or of an object whose keys are ids. */
function membersOf(list: Item): Item[] {
  return Array.isArray(list.value) ? list.items() : list.entries().map(([, member]) => member);
}

function isMonitor(item: Item): boolean {
  return (
    item.peek("type").isGiven() &&
    item.peek("interval").isGiven() &&
    (item.peek("accepted_statuscodes").isGiven() || item.peek("maxretries").isGiven())
  );
}

/** The members of the lists that monitors refer to, by their ids. */
interface Surroundings {
  draft: ImportDraft;
  groups: ReadonlyMap<string, string>;
  proxies: ReadonlyMap<string, Item>;
}

function addMonitor(monitor: Item, { draft, groups, proxies }: Surroundings): void {
  const name = monitor.get("name").filled() ?? monitor.get("url", "hostname").filled() ?? "monitor";
  if (monitor.get("upsideDown").flag() === true) {
    draft.missingMonitor(
      monitor,
      name,
      "it is upside down (well while its target is not), which no check can be",
    );
    return;
  }
  const check = checkOf(monitor, { draft, name, proxies });
  if ("problem" in check) {
    draft.missingMonitor(monitor, name, check.problem);
    return;
  }
  const group = groups.get(monitor.get("parent").text() ?? "");
  draft.monitors.push({
    item: monitor,
    name,
    longName: group === undefined ? undefined : `${group}/${name}`,
    ...check,
    frequencySeconds: monitor.get("interval").number(),
    enabled: monitor.get("active").flag() ?? true,
    labels: [
      ...(group === undefined ? [] : [`group:${group}`]),
      ...monitor
        .get("tags")
        .items()
        .map((tag) => [tag.get("name").text(), tag.get("value").text()].filter(Boolean).join(":")),
    ],
    alerts: alertsOf(monitor),
  });
  noteParts(
    monitor,
    {
      resendInterval: "notifications of a failure that lasts are repeated by incidents, not by monitors",
      maintenance: "maintenance is not carried over; see maintenance windows",
    },
    { draft, monitor: name },
  );
  const [again, interval] = [monitor.get("retryInterval"), monitor.get("interval")].map((one) =>
    one.number(),
  );
  if ((monitor.get("maxretries").number() ?? 0) > 0 && again && interval && again !== interval)
    draft.changed(
      monitor.get("retryInterval"),
      "failures in a row are counted at the monitor's own frequency",
      name,
    );
  passOver(monitor);
}

/** A monitor is down there after its retries: as many failures in a row, and one. */
function alertsOf(monitor: Item): DraftAlert[] {
  const list = monitor.get("notificationIDList");
  const channels = Array.isArray(list.value)
    ? list.items().flatMap((one) => one.text() ?? [])
    : list.entries().flatMap(([id, isUsed]) => (isUsed.flag() === false ? [] : [id]));
  if (channels.length === 0) return [];
  const down = condition.failuresInARow((monitor.get("maxretries").number() ?? 0) + 1);
  const hasCertificate = monitor.get("expiryNotification").flag() === true;
  return [
    { conditions: [down], channels, item: monitor.get("notificationIDList") },
    ...(hasCertificate
      ? [
          {
            conditions: [condition.certificateEnds(CERTIFICATE_DAYS)],
            channels,
            item: monitor.get("expiryNotification"),
          },
        ]
      : []),
  ];
}

/** Providers that have a channel type of ours, by the name that notifications have as their type. */
const PROVIDERS: Readonly<Record<string, (settings: Item) => Fields>> = {
  smtp: (one) =>
    channel.email([one.get("smtpTo").text(), one.get("smtpCC").text()].filter(Boolean).join(",")),
  slack: (one) => channel.chat(one.get("slackwebhookURL").text()),
  mattermost: (one) => channel.chat(one.get("mattermostWebhookUrl").text()),
  "rocket.chat": (one) => channel.chat(one.get("rocketwebhookURL").text()),
  discord: (one) => channel.discord(one.get("discordWebhookUrl").text()),
  telegram: (one) =>
    channel.telegram({
      botToken: one.get("telegramBotToken").text(),
      chatId: one.get("telegramChatID").text(),
      topicId: one.get("telegramMessageThreadID").number(),
      apiUrl: one.get("telegramServerUrl").filled(),
    }),
  ntfy: (one) =>
    channel.ntfy({
      serverUrl: one.get("ntfyserverurl").filled(),
      topic: one.get("ntfytopic").text(),
      token: one.get("ntfyaccesstoken").text(),
    }),
  Opsgenie: (one) => channel.opsgenie(one.get("opsgenieApiKey").text(), one.get("opsgenieRegion").text()),
  PagerDuty: (one) => channel.pager(one.get("pagerdutyIntegrationKey").text()),
  teams: (one) => channel.msteams(one.get("webhookUrl").text()),
  webhook: (one) =>
    channel.webhook(one.get("webhookURL").text(), {
      method: one.get("httpMethod").text(),
      headers: textsIn(asJson(one.get("webhookAdditionalHeaders"))),
    }),
};

function addChannel(notification: Item, draft: ImportDraft): void {
  const settings = asJson(notification.get("config"));
  const given = settings.entries().length > 0 ? settings : notification;
  const type = given.get("type").text() ?? "";
  const name = notification.get("name").filled() ?? given.get("name").filled() ?? type;
  const configOf = entryOf(PROVIDERS, type);
  if (!configOf) draft.leftOut(notification, `channel "${name}": svc has no channel like ${type}`);
  else {
    if (given.get("ntfyAuthenticationMethod").text() === "usernamePassword")
      draft.partLeftOut(notification, `channel "${name}": ntfy takes an access token, no password`);
    if (given.get("webhookURL").isGiven())
      noteMethod(notification, given.get("httpMethod").filled() ?? "POST", draft);
    // Its other settings say how Uptime Kuma signs in and words its messages.
    given.settle();
    notification.skip("active", "isDefault", "is_default", "userId", "user_id");
    draft.channels.set(notification.get("id").text() ?? name, {
      item: notification,
      name,
      config: configOf(given),
    });
  }
}

/** Returns the value of a text that is JSON; any other item as it is. */
function asJson(item: Item): Item {
  if (typeof item.value !== "string") return item;
  try {
    return item.as(JSON.parse(item.value));
  } catch {
    return item;
  }
}
