/** Channels that several tools have, and the alert conditions that they name. Pure. */
import type { ImportDraft } from "../draft.ts";
import type { Item } from "../item.ts";

type Fields = Readonly<Record<string, unknown>>;

interface TelegramSettings {
  botToken: string | undefined;
  chatId: string | undefined;
  topicId?: number | undefined;
  apiUrl?: string | undefined;
}

interface NtfySettings {
  serverUrl: string | undefined;
  topic: string | undefined;
  token?: string | undefined;
}

/** The configuration of a channel of each type that tools have in common. */
export const channel = {
  /** A chat with incoming webhooks in the form of Slack's. */
  chat: (webhookUrl: string | undefined): Fields => ({ type: "chat", webhookUrl }),
  msteams: (webhookUrl: string | undefined): Fields => ({ type: "msteams", webhookUrl }),
  discord: (webhookUrl: string | undefined): Fields => ({ type: "discord", webhookUrl }),
  telegram: ({ topicId, ...settings }: TelegramSettings): Fields => ({
    type: "telegram",
    ...settings,
    topicId: topicId || undefined,
  }),
  /** A topic of an ntfy server, which is the public one unless a URL is given. */
  ntfy: ({ serverUrl, topic, token }: NtfySettings): Fields => ({
    type: "ntfy",
    topicUrl: `${(serverUrl ?? "https://ntfy.sh").replace(/\/+$/, "")}/${topic ?? ""}`,
    token: token || undefined,
  }),
  /** Opsgenie's API is that of Jira Service Management. @param region `eu` for that of Europe */
  opsgenie: (apiKey: string | undefined, region?: string): Fields => ({
    type: "jsm",
    apiKey,
    apiUrl: region?.toLowerCase() === "eu" ? "https://api.eu.opsgenie.com" : "https://api.opsgenie.com",
  }),
  /** @param addresses separated by commas or semicolons, or a list */
  email: (addresses: string | undefined): Fields => ({
    type: "email",
    addresses: [
      ...new Set(
        (addresses ?? "")
          .split(/[,;]/)
          .map((one) => one.trim())
          .filter((one) => one !== ""),
      ),
    ],
  }),
  pager: (routingKey: string | undefined): Fields => ({ type: "paging", routingKey }),
  webhook: (
    url: string | undefined,
    {
      method,
      headers = {},
    }: { method?: string | undefined; headers?: Readonly<Record<string, string>> } = {},
  ): Fields => {
    const sent = Object.entries(headers).filter(([name]) => name.toLowerCase() !== "content-type");
    return {
      type: "webhook",
      url,
      ...(method?.toUpperCase() === "PUT" ? { method: "PUT" } : {}),
      ...(sent.length > 0 ? { headers: Object.fromEntries(sent) } : {}),
    };
  },
};

/** Notes that a webhook is sent by POST, where the other tool sends it otherwise. @param method as the export names it */
export function noteMethod(item: Item, method: string, draft: ImportDraft): void {
  if (!["POST", "PUT"].includes(method.toUpperCase()))
    draft.changed(item, `a webhook is sent by POST or PUT, not by ${method.toUpperCase()}`);
}

/** Alert conditions that tools have in common. */
export const condition = {
  failuresInARow: (count: number): Fields => ({
    type: "consecutive_failures",
    count: Math.max(1, Math.round(count)),
  }),
  locationsFailing: (minLocations: number, windowSeconds: number): Fields => ({
    type: "multi_location_failure",
    minLocations,
    windowSeconds,
  }),
  certificateEnds: (daysBeforeExpiry: number): Fields => ({ type: "ssl_expiry", daysBeforeExpiry }),
  slowerThan: (maxMs: number): Fields => ({ type: "response_time_threshold", maxMs }),
};
