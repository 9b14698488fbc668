/** Uptime Kuma's lists and tables: which part becomes which field. */
import { describe, expect, it } from "vitest";
import { UPTIME_KUMA } from "../../../test-support/exports/uptime-kuma.ts";
import { imported } from "../../../test-support/imported.ts";

const within200 = [
  { type: "status_code", operator: "greater_than", value: 199 },
  { type: "status_code", operator: "less_than", value: 300 },
];

describe("uptime-kuma", () => {
  const { monitors, channels, notes } = imported("uptime-kuma", UPTIME_KUMA);

  it("a keyword monitor has its request, its retries as failures in a row, and its certificate watched", () => {
    expect(monitors.Home).toMatchObject({
      url: "https://shop.example.com/?api_key={{secrets.HOME_URL_API_KEY}}",
      frequency: "20s",
      timeoutMs: 16_000,
      followRedirects: false,
      labels: ["critical", "env:prod-eu", "group:Shop"],
      headers: { Authorization: "Bearer {{secrets.HOME_AUTHORIZATION}}" },
      auth: { type: "basic" },
      assertions: [
        { type: "status_code", operator: "greater_than", value: 199 },
        { type: "status_code", operator: "less_than", value: 402 },
        { type: "body_contains", value: "Welcome" },
      ],
      alerts: [
        { conditions: [{ type: "consecutive_failures", count: 3 }], channels: ["@Chat", "@Mail"] },
        { conditions: [{ type: "ssl_expiry", daysBeforeExpiry: 21 }] },
      ],
    });
    expect(notes.find((note) => note.startsWith("monitorList[1].accepted_statuscodes"))).toContain(
      "200 to 401",
    );
  });

  it("queries of JSON are carried over where their path is plain, and inverted keywords", () => {
    expect(monitors["Home (2)"]?.assertions).toContainEqual({
      type: "body_json_path",
      path: "$.status",
      value: "ok",
    });
    expect(monitors.Complex?.assertions).toEqual(within200);
    expect(monitors.Inverse?.assertions).toContainEqual({
      type: "body_matches",
      pattern: "^(?![\\s\\S]*(?:a\\.b))",
    });
    expect(notes).toContain("monitorList[3].jsonPath: only plain paths are followed in JSON, no JSONata");
  });

  it("what would mean something else is left out as a whole", () => {
    expect(Object.keys(monitors)).not.toContain("Down is well");
    expect(notes.find((note) => note.startsWith("monitorList[6]"))).toContain('got "OPTIONS"');
  });

  it("a proxy comes along when checks go through such, and so does a client certificate", () => {
    expect(monitors.Home).toMatchObject({
      proxyUrl: "http://proxy.example.com:3128",
      proxyPassword: "{{secrets.HOME_PROXYPASSWORD}}",
    });
    expect(monitors.Inverse).toMatchObject({ clientKey: "{{secrets.INVERSE_CLIENTKEY}}" });
    expect(monitors.Inverse).not.toHaveProperty("proxyUrl");
    expect(notes.filter((note) => note.includes("http://host:port"))).toHaveLength(1);
  });

  it("notifications become channels", () => {
    expect(channels).toMatchObject({
      Chat: { type: "chat" },
      Mail: { type: "email", addresses: ["ops@example.com", "dev@example.com"] },
      Game: { type: "discord" },
      Bot: { type: "telegram", botToken: "{{secrets.BOT_BOTTOKEN}}", chatId: "@ops" },
      Push: { type: "ntfy", token: "{{secrets.PUSH_TOKEN}}" },
      Genie: { type: "jsm", apiUrl: "https://api.eu.opsgenie.com" },
      Hook: { type: "webhook", headers: { "X-Key": "{{secrets.HOOK_X_KEY}}" } },
    });
    expect(notes).toContain('notificationList[2]: channel "Phone": svc has no channel like pushover');
  });

  it("a bearer token is a secret, and a webhook that is sent by GET is noted", () => {
    const [, home] = UPTIME_KUMA.monitorList;
    const bearer = { ...home, authMethod: "bearer", bearer_token: "t", basic_auth_user: null };
    const config = { type: "webhook", webhookURL: "https://hooks.example.com/in", httpMethod: "get" };
    const result = imported("uptime-kuma", {
      monitorList: [bearer],
      notificationList: [{ id: 1, name: "Hook", config }],
    });
    expect(result.monitors.Home?.auth).toEqual({ type: "bearer", token: "{{secrets.HOME_TOKEN}}" });
    expect(result.notes).toContain("notificationList[0]: a webhook is sent by POST or PUT, not by GET");
  });

  it("the list of version 2, by id, gives the same monitors", () => {
    const byId = Object.fromEntries(UPTIME_KUMA.monitorList.map((one) => [one.id, one]));
    expect(Object.keys(imported("uptime-kuma", byId).monitors)).toEqual(Object.keys(monitors));
  });
});

describe("uptime-kuma, by the tables of its database", () => {
  const snake = (fields: object) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        typeof value === "boolean" ? Number(value) : value,
      ]),
    );
  type Listed = { id: number; notificationIDList?: object; accepted_statuscodes?: string[]; tags?: object[] };
  const listed = UPTIME_KUMA.monitorList as Listed[];
  const rows = {
    monitor: listed.map(({ notificationIDList: _, tags: __, accepted_statuscodes = [], ...monitor }) => ({
      ...snake(monitor),
      accepted_statuscodes_json: JSON.stringify(accepted_statuscodes),
      push_token: null,
    })),
    notification: UPTIME_KUMA.notificationList.map(({ config, ...one }) => ({
      is_default: 0,
      ...snake(one),
      config: typeof config === "string" ? config : JSON.stringify(config),
    })),
    monitor_notification: listed.flatMap(({ id, notificationIDList = {} }) =>
      Object.keys(notificationIDList).map((one, at) => ({
        id: at,
        monitor_id: id,
        notification_id: Number(one),
      })),
    ),
    proxy: UPTIME_KUMA.proxyList.map(snake),
    tag: [
      { id: 1, name: "env", color: "#fff", created_date: "2026-01-01 00:00:00" },
      { id: 2, name: "critical", color: "#000", created_date: "2026-01-01 00:00:00" },
    ],
    monitor_tag: [
      { id: 1, monitor_id: 10, tag_id: 1, value: "prod eu" },
      { id: 2, monitor_id: 10, tag_id: 2, value: "" },
    ],
  };

  it("becomes the config that its lists become, in any order of the files", () => {
    const { monitors, channels } = imported("uptime-kuma", UPTIME_KUMA);
    for (const files of [Object.values(rows), Object.values(rows).reverse()]) {
      const found = imported("uptime-kuma", files);
      expect([found.monitors, found.channels]).toEqual([monitors, channels]);
      expect(found.problems).toEqual([]);
    }
  });

  it("notes name the file of the table, and rows that are anything else break nothing", () => {
    expect(imported("uptime-kuma", [rows.monitor]).allNotes).toContainEqual(
      expect.objectContaining({ file: "0.json", path: "[4]", monitor: "Down is well", effect: "left_out" }),
    );
    const odd = [{ accepted_statuscodes_json: "{", interval: null, name: 3 }, null, 7, ["x"]];
    expect(imported("uptime-kuma", [odd, rows.monitor]).problems).toEqual([]);
  });
});
