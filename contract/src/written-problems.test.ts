import { expect, it } from "vitest";
import { checkTypes } from "./checks/registry.ts";
import { createRotaSchema } from "./resources/rota.ts";
import { createStatusNoticeSchema, updateStatusNoticeSchema } from "./resources/status-notice.ts";
import { writtenProblems } from "./written-problems.ts";

const problems = (type: "websocket" | "multistep" | "http", config: Record<string, unknown>) =>
  writtenProblems(type, checkTypes.get(type).configSchema.parse(config) as Record<string, unknown>).map(
    ({ path, message }) => `${path.join(".")}: ${message}`,
  );
const steps = (fields: Record<string, unknown>) => ({
  steps: [{ name: "A", url: "https://a.test/", ...fields }],
});

it.each<[string, "websocket" | "multistep", Record<string, unknown>, RegExp]>([
  [
    "a header twice",
    "websocket",
    { url: "ws://a.test/", headers: { A: "1", a: "2" } },
    /^headers\.a: is there twice/,
  ],
  [
    "two authorizations",
    "websocket",
    { url: "ws://u:p@a.test/", headers: { authorization: "Bearer t" } },
    /^headers\.authorization: the URL has a user name/,
  ],
  [
    "a body with GET",
    "multistep",
    steps({ method: "GET", body: "a" }),
    /^steps\.0\.body: is not sent with GET/,
  ],
  ["a name of spaces", "multistep", steps({ name: "  " }), /^steps\.0\.name: a name has more than spaces/],
])(
  "a setting that does nothing is a problem where it is written, not in what is stored: %s",
  (_name, type, config, message) => {
    expect(problems(type, config)).toEqual([expect.stringMatching(message)]);
  },
);

it.each<[string, "websocket" | "multistep" | "http", Record<string, unknown>]>([
  [
    "headers of different names",
    "websocket",
    { url: "ws://a.test/x@y", headers: { A: "1", Authorization: "Bearer t" } },
  ],
  ["credentials of the URL alone", "websocket", { url: "ws://u:p@a.test/", headers: { A: "1" } }],
  ["a body with POST", "multistep", steps({ method: "POST", body: "a" })],
  ["what the type does not judge", "http", { url: "https://a.test/", method: "GET", body: "a" }],
])("other settings are none: %s", (_name, type, config) => {
  expect(problems(type, config)).toEqual([]);
});

it("a member of a rota has a name of more than spaces", () => {
  const rota = (name: string) =>
    createRotaSchema.safeParse({
      name: "On call",
      startsAt: "2026-11-30T09:00:00",
      handover: { type: "daily", time: "09:00" },
      members: [{ name, channelIds: ["nch_01jd0000000000000000000000"] }],
    });
  expect(rota("Ada").error).toBeUndefined();
  expect(rota(" ").error?.issues).toEqual([
    expect.objectContaining({ path: ["members", 0, "name"], message: "a name has more than spaces" }),
  ]);
});

it.each(["T2\r\nBcc: x@a.test", "a\nb", "a\tb", "a\u2028b", "a\u0000b"])(
  "a title of a notice is one line: %j",
  (title) => {
    const notice = { kind: "incident", text: "a" };
    const isRefused = (parsed: { error?: { issues: { path: PropertyKey[] }[] } | undefined }) =>
      parsed.error?.issues.map(({ path }) => path.join());
    expect(isRefused(createStatusNoticeSchema.safeParse({ ...notice, title }))).toEqual(["title"]);
    expect(isRefused(updateStatusNoticeSchema.safeParse({ title }))).toEqual(["title"]);
    expect(
      isRefused(createStatusNoticeSchema.safeParse({ ...notice, title: " Line – one 🙂 " })),
    ).toBeUndefined();
  },
);
