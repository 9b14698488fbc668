import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseInput } from "../base/validation.ts";
import { maskChannelConfig } from "./mask-channel-config.ts";
import { channelConfigSchema, channelTypes } from "./registry.ts";

function problems(channel: unknown): string[] {
  const parsed = parseInput(channelConfigSchema, channel);
  return parsed.success
    ? []
    : [...Object.values(parsed.details.fieldErrors).flat(), ...parsed.details.formErrors];
}

it("each member's file is in the registry, and each list has it", async () => {
  const files = readdirSync(import.meta.dirname).filter(
    (file) => !/registry|define-channel|mask-|test/.test(file),
  );
  const modules = await Promise.all(files.map((file) => import(`./${file.replace(".ts", "")}.ts`)));
  const inFiles = modules.flatMap((module) => Object.values<{ type: string }>(module));
  expect(inFiles.map(({ type }) => type).sort()).toEqual([...channelTypes.types].sort());
  const inUnion = channelConfigSchema.options.map((option) => option.shape.type.value);
  expect(inUnion).toEqual(channelTypes.types);
});

const url = "https://hooks.example.org:8443/T0/secret?key=x";
const slack = { type: "slack", botToken: "xoxb-1", channel: "C0123456789" };
const telegram = { type: "telegram", botToken: "123456:ABC-x", chatId: "-1001234567890" };
const jsm = { type: "jsm", apiKey: "k" };
const ntfy = { type: "ntfy", topicUrl: "https://ntfy.sh/ops-7f3a" };
const ticketing = { type: "ticketing", instanceUrl: "https://t.example.org", username: "u", password: "p" };

describe("defaults", () => {
  it.each([
    [{ type: "webhook", url }, { method: "POST" }],
    [{ type: "paging", routingKey: "k" }, { serviceRegion: "us" }],
    [ticketing, {}],
    [telegram, { apiUrl: "https://api.telegram.org" }],
    [jsm, { apiUrl: "https://api.atlassian.com/jsm/ops/integration" }],
    [ntfy, {}],
    [slack, { apiUrl: "https://slack.com/api" }],
  ])("%j", (given, defaults) => {
    expect(channelConfigSchema.parse(given)).toEqual({ ...given, ...defaults });
  });
});

describe("limits", () => {
  it.each([
    [{ type: "chat" }, "required"],
    [{ type: "chat", webhookUrl: "chat" }, "expected a valid http:// or https:// URL"],
    [{ type: "discord", webhookUrl: "ftp://d" }, "expected a valid http:// or https:// URL"],
    [{ ...telegram, botToken: "123/getMe" }, "a bot token has none of / ? #"],
    ...["", "ops", "@", "@a b", "- 1", "1.5"].map((chatId): [object, string] => [
      { ...telegram, chatId },
      "expected the number of a chat",
    ]),
    [{ ...telegram, topicId: 0 }, "smallest is 1"],
    [{ type: "email", addresses: [] }, "at least one address"],
    [{ type: "email", addresses: ["a@example.org", "nobody"] }, "addresses[1]: not a valid email address"],
    [{ type: "webhook", url, method: "GET" }, "expected one of POST, PUT"],
    [{ type: "webhook", url, headers: { "cOnTent-tYpe": "text/plain" } }, "Content-Type can't be set"],
    [{ type: "webhook", url, headers: { "X-A": 1 } }, "expected a string, got a number"],
    [{ type: "paging", routingKey: "" }, "a routing key has at least 1 character"],
    [{ type: "paging", routingKey: "k".repeat(65) }, "a routing key has at most 64 characters"],
    [{ type: "paging", routingKey: "k", serviceRegion: "ap" }, "expected one of us, eu"],
    [{ ...ticketing, username: "u".repeat(129) }, "a user name has at most 128 characters"],
    [{ ...ticketing, password: "p".repeat(513) }, "a password has at most 512 characters"],
    [{ ...ticketing, assignmentGroup: "g".repeat(129) }, "at most 128 characters"],
    [{ ...slack, botToken: "xoxb 1" }, "a bot token has no spaces"],
    [{ ...slack, botToken: "xoxb\r\nX-A: 1" }, "a bot token has no spaces"],
    [{ ...slack, botToken: "../x" }, "a bot token has none of / ? #"],
    [{ ...slack, botToken: "x".repeat(513) }, "a bot token has at most 512 characters"],
    ...["https://u@slack.com/api", "https://:p@slack.com", "https://slack.com/?a", "https://slack.com#"].map(
      (apiUrl): [object, string] => [
        { ...slack, apiUrl },
        "expected a URL without user name, password, query and fragment",
      ],
    ),
    [{ ...slack, channel: "" }, "expected 1 to 80 characters"],
    [{ ...slack, channel: "a b" }, "expected 1 to 80 characters"],
    [{ ...jsm, apiKey: "" }, "an API key has at least 1 character"],
    ...["https://ntfy.sh", "https://ntfy.sh/", "https://ntfy.sh/a/", `https://ntfy.sh/${"t".repeat(65)}`].map(
      (topicUrl): [object, string] => [{ ...ntfy, topicUrl }, "expected the URL of a topic"],
    ),
    [{ ...ntfy, topicUrl: "https://ntfy.sh/a?auth=x" }, "expected a URL without user name, password, query"],
    [{ ...ntfy, priority: 0 }, "smallest is 1"],
    [{ ...ntfy, priority: 6 }, "largest is 5"],
    [{ type: "pigeon" }, `expected one of ${channelTypes.types.join(", ")}`],
  ])("%j", (channel, message) => {
    expect(problems(channel).join("\n")).toContain(message);
  });
});

it.each(["acknowledgeLinks", "quietHours"])("channels to people, and no others, take %s", (field) => {
  const withLinks = channelTypes.members.filter(({ schema }) => field in schema.shape);
  const toPeople = channelTypes.members.filter(({ audience }) => audience === "people");
  expect(withLinks.map(({ type }) => type)).toEqual(toPeople.map(({ type }) => type));
});

describe("masking", () => {
  it.each([
    [
      { type: "chat", webhookUrl: url },
      { type: "chat", webhookUrl: "***REDACTED***" },
    ],
    [
      { type: "discord", webhookUrl: url },
      { type: "discord", webhookUrl: "***REDACTED***" },
    ],
    [
      { type: "msteams", webhookUrl: url },
      { type: "msteams", webhookUrl: "***REDACTED***" },
    ],
    [
      { type: "email", addresses: ["a@example.org"] },
      { type: "email", addresses: ["a@example.org"] },
    ],
    [
      { type: "webhook", url, headers: { "X-Token": "t" } },
      {
        type: "webhook",
        url: "https://hooks.example.org:8443",
        method: "POST",
        headers: { "X-Token": "***REDACTED***" },
      },
    ],
    [
      { type: "paging", routingKey: "k" },
      { type: "paging", routingKey: "***REDACTED***", serviceRegion: "us" },
    ],
    [telegram, { ...telegram, botToken: "***REDACTED***", apiUrl: "https://api.telegram.org" }],
    [jsm, { ...jsm, apiKey: "***REDACTED***", apiUrl: "https://api.atlassian.com/jsm/ops/integration" }],
    [
      { ...ntfy, token: "tk_1" },
      { ...ntfy, topicUrl: "https://ntfy.sh", token: "***REDACTED***" },
    ],
    [slack, { ...slack, botToken: "***REDACTED***", apiUrl: "https://slack.com/api" }],
    [ticketing, { ...ticketing, username: "***REDACTED***", password: "***REDACTED***" }],
  ])("%j", (config, masked) => {
    expect(maskChannelConfig(channelConfigSchema.parse(config))).toEqual(masked);
  });
});
