import { type Check, checkTypesBy, PUSH_LOCATION_ID } from "@svc/contract";
import { expect, it } from "vitest";
import { readConfigText } from "./config/read-config-text.ts";
import { configOf } from "./describe.ts";
import { createPlaceholders } from "./placeholders.ts";
import { checkFields, monitorFields } from "./plan/compared-fields.ts";
import { yamlText } from "./yaml-text.ts";

const [type] = checkTypesBy("pushed");
const textOf = (fields: object) =>
  yamlText({
    project: "p",
    defaults: { frequency: "1m", locations: ["loc_us_east"] },
    monitors: [{ name: "Backup", type, ...fields }],
  });
const monitorOf = (fields: object) => {
  const { desired, problems } = readConfigText(textOf(fields));
  expect(problems).toEqual([]);
  return desired?.monitors[0] as NonNullable<typeof desired>["monitors"][number];
};

it.each([
  [{ period: "90m", grace: "10s" }, { periodSeconds: 5_400, graceSeconds: 10 }, 5_400],
  [{ period: "7d" }, { periodSeconds: 604_800, graceSeconds: 300 }, 86_400],
  [
    { cron: "0 3 * * *", timezone: "Europe/Berlin", grace: "2h" },
    { cron: "0 3 * * *", timezone: "Europe/Berlin", graceSeconds: 7_200 },
    86_400,
  ],
  [{ cron: "@hourly" }, { cron: "@hourly", graceSeconds: 300 }, 3_600],
])(
  "a monitor with %j inherits nothing about probing, and is described as it was written",
  (fields, config, frequencySeconds) => {
    const monitor = monitorOf(fields);
    expect(monitor).toMatchObject({ config, frequencySeconds, locations: [PUSH_LOCATION_ID], retry: null });
    const check = {
      id: "chk_1",
      name: monitor.name,
      type: monitor.type,
      enabled: true,
      frequencySeconds,
      locations: monitor.locations,
      retry: null,
      configJson: config,
    } as unknown as Check;
    expect(checkFields(check, undefined, String)).toEqual(monitorFields(monitor));
    const remote = {
      checks: [check],
      alerts: [],
      channels: [],
      labels: {},
      patterns: [],
      slos: [],
      policies: [],
      rotas: [],
      incidentPolicy: null,
      statusPages: [],
      windows: [],
    };
    const pulled = configOf(remote as never, createPlaceholders({}));
    expect(pulled.defaults).toEqual({});
    const described = pulled.monitors[0]?.fields ?? {};
    expect(Object.keys(described).sort()).toEqual(["name", "type", ...Object.keys(fields)].sort());
    expect(monitorFields(monitorOf(described))).toEqual(monitorFields(monitor));
  },
);

it.each([
  [{ frequency: "1m" }, /unknown field "frequency"; .*period or cron/],
  [{ locations: ["loc_us_east"] }, /unknown field "locations"; .*probed from nowhere/],
  [{ retry: null }, /unknown field "retry"/],
  [{ period: "1s" }, /1s is 1 s; smallest is 30 s/],
  [{ period: "soon" }, /expected a duration/],
  [{ grace: "31d" }, /largest is 2592000 s/],
  [{ periodSeconds: 60 }, /unknown field "periodSeconds"/],
])("%j is refused with the reason", (fields, reason) => {
  const { desired, problems } = readConfigText(textOf({ period: "1h", ...fields }));
  expect(desired).toBeUndefined();
  expect(problems.map(({ message }) => message).join("\n")).toMatch(reason);
});
