import { describe, expect, it } from "vitest";
import { findProblems } from "../base/validation.ts";
import { createMaintenanceWindowSchema } from "../resources/maintenance-window.ts";
import { createRotaSchema } from "../resources/rota.ts";
import { configRotaSchema } from "./rota.ts";

const common = {
  name: "On call",
  startsAt: "2026-11-30T09:00:00",
  handover: { type: "daily", time: "09:00" },
};
const problemsOf = (change: object) =>
  findProblems(configRotaSchema, {
    ...common,
    members: [{ name: "Ada", channels: ["@ada"] }],
    ...change,
  }).map(({ path, message }) => `${path.join(".")}: ${message}`);

const INSTANTS: [string, RegExp][] = [
  ["tomorrow", /^expected an ISO 8601 date and time/],
  ["", /^expected an ISO 8601 date and time/],
  ["2026", /^expected an ISO 8601 date and time/],
  ["1969-12-31 09:00", /^expected an ISO 8601 date and time/],
  ["2026-02-30T09:00:00Z", /^no such date or time$/],
  ["1969-02-30T09:00:00Z", /^no such date or time$/],
  ["2026-11-30T25:00", /^no such date or time$/],
  ["1969-12-31T23:59:59Z", /^expected a year from 1970 to 2199$/],
  ["2200-01-01T00:00:00Z", /^expected a year from 1970 to 2199$/],
];

describe.each(INSTANTS)("the date and time %j is one mistake", (text, message) => {
  const one = [expect.stringMatching(message)];
  const messagesOf = (...[schema, input]: Parameters<typeof findProblems>) =>
    findProblems(schema, input).map((problem) => problem.message);

  it("as startsAt of a rota of the API", () => {
    const members = [{ name: "Ada", channelIds: ["nch_01jd0000000000000000000000"] }];
    expect(messagesOf(createRotaSchema, { ...common, members, startsAt: text })).toEqual(one);
  });

  it("as startsAt of a rota of a config", () => {
    expect(problemsOf({ startsAt: text })).toEqual([
      expect.stringMatching(`startsAt: ${message.source.slice(1)}`),
    ]);
  });

  it("as the end of a maintenance window", () => {
    const window = { name: "Sunday", checkIds: "all", startsAt: "2026-11-30T09:00:00Z", endsAt: text };
    expect(messagesOf(createMaintenanceWindowSchema, window)).toEqual(one);
  });
});

it("the first and the last year are taken", () => {
  expect(problemsOf({ startsAt: "1970-01-01T00:00:00Z" })).toEqual([]);
  expect(problemsOf({ startsAt: "2199-12-31T23:59:59Z" })).toEqual([]);
});

const override = { from: "2026-12-01T09:00", to: "2026-12-02T09:00", member: "Ada" };

it.each<[string, object, string[]]>([
  [
    "an unknown zone, also where overrides are on its clock",
    { timezone: "Mars/Base", overrides: [override] },
    ["timezone: not an IANA time zone, e.g. Europe/Berlin"],
  ],
  ["a long zone", { timezone: "x".repeat(101) }, ["timezone: longer than 100"]],
  [
    "an override's time that is none",
    { overrides: [{ ...override, to: "soon" }] },
    ['overrides.0.to: expected an ISO 8601 date and time, e.g. "2026-11-21T22:00:00Z"'],
  ],
  [
    "an override that ends before it begins",
    { overrides: [{ ...override, to: "2026-11-30T09:00" }] },
    ["overrides.0.to: has to be after from"],
  ],
  [
    "a member without a name",
    { members: [{ name: "", channels: ["@ada"] }] },
    ["members.0.name: a name has at least 1 character"],
  ],
  [
    "a name of spaces",
    { members: [{ name: "  ", channels: ["@ada"] }] },
    ["members.0.name: a name has more than spaces"],
  ],
  [
    "a member without channels",
    { members: [{ name: "Ada", channels: [] }] },
    ["members.0.channels: at least one channel"],
  ],
])("%s is one problem", (_name, change, problems) => {
  expect(problemsOf(change)).toEqual(problems);
});

it("problems of several fields are listed at once", () => {
  const overrides = [{ from: "soon", to: "later", member: "Bea" }];
  expect(
    problemsOf({ startsAt: "x", timezone: "Mars/Base", overrides }).map((text) => text.split(":")[0]),
  ).toEqual(
    expect.arrayContaining([
      "startsAt",
      "timezone",
      "overrides.0.from",
      "overrides.0.to",
      "overrides.0.member",
    ]),
  );
});
