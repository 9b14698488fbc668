import {
  type CreateDeployPlan,
  channelTypes,
  checkTypes,
  createDeployPlanSchema,
  REDACTED,
} from "@svc/contract";
import { describe, expect, it } from "vitest";
import { hideSecrets } from "./hide-secrets.ts";

type Kind = CreateDeployPlan["changes"][number]["kind"];

const planOf = (kind: Kind, field: string, oldValue: unknown, newValue: unknown = null) =>
  createDeployPlanSchema.parse({
    project: "shop",
    changes: [
      { type: "update", kind, name: "Home", remoteId: null, fieldChanges: [{ field, oldValue, newValue }] },
    ],
    summary: { create: 0, update: 1, delete: 0, unchanged: 0 },
  });
const hidden = (kind: Kind, field: string, oldValue: unknown, values: string[] = []) =>
  hideSecrets(planOf(kind, field, oldValue), values).changes[0]?.fieldChanges[0];

const SECRET = "s3cr3t-value";
const HIDDEN = { oldValue: REDACTED, newValue: REDACTED, redacted: true };

it.each<[Kind, string, unknown, object]>([
  ["check", "auth.token", SECRET, HIDDEN],
  ["check", "auth.type", "bearer", { oldValue: "bearer" }],
  ["check", "auth", { type: "bearer", token: SECRET }, { oldValue: { type: "bearer", token: REDACTED } }],
  ["check", "headers.X-Api-Key", SECRET, HIDDEN],
  ["check", "headers.Accept", "text/html", { oldValue: "text/html" }],
  ["check", "body", SECRET, HIDDEN],
  ["check", "script", SECRET, HIDDEN],
  [
    "check",
    "url",
    `https://a.example/?token=${SECRET}`,
    { oldValue: `https://a.example/?token=${REDACTED}` },
  ],
  [
    "check",
    "endpoint",
    `https://u:${SECRET}@a.example/`,
    { oldValue: `https://${REDACTED}:${REDACTED}@a.example/` },
  ],
  [
    "check",
    "testCalls",
    [{ toolName: "a", arguments: { password: SECRET } }],
    { oldValue: [{ toolName: "a", arguments: { password: REDACTED } }] },
  ],
  ["channel", "webhookUrl", SECRET, HIDDEN],
  ["channel", "routingKey", SECRET, HIDDEN],
  ["channel", "headers.Authorization", SECRET, HIDDEN],
  ["channel", "headers.Accept", "text/html", { oldValue: "text/html" }],
  ["channel", "headers", { Authorization: SECRET }, HIDDEN],
  ["channel", "url", `https://hooks.example/${SECRET}`, { oldValue: "https://hooks.example" }],
  ["channel", "url", SECRET, { oldValue: REDACTED }],
  ["slo", "targetBasisPoints", 9900, { oldValue: 9900 }],
  [
    "alert",
    "conditions",
    [{ note: `see https://a.example/?apiKey=${SECRET}` }],
    { oldValue: [{ note: `see https://a.example/?apiKey=${REDACTED}` }] },
  ],
])("%s %s: %j is stored as %j", (kind, field, value, expected) => {
  const change = hidden(kind, field, value);
  expect(change).toMatchObject(expected);
  expect(JSON.stringify(change)).not.toContain(SECRET);
});

describe("every field that a type marks as secret is hidden", () => {
  const marked: [Kind, string, unknown][] = [
    ...checkTypes.members.flatMap(({ secretFields }) =>
      Object.entries(secretFields).map(([field, mark]): [Kind, string, unknown] => [
        "check",
        field,
        mark === "auth" || mark === "headers"
          ? { "X-Own": SECRET }
          : mark === "url"
            ? `https://${SECRET}@a.example/`
            : mark === "named"
              ? { secret: SECRET }
              : SECRET,
      ]),
    ),
    ...channelTypes.members.flatMap(({ secretFields }) =>
      Object.keys(secretFields).map((field): [Kind, string, unknown] => [
        "channel",
        field,
        field === "headers" ? { "X-Own": SECRET } : `https://a.example/${SECRET}`,
      ]),
    ),
  ];
  it.each(marked)("%s %s", (kind, field, value) => {
    expect(JSON.stringify(hidden(kind, field, value))).not.toContain(SECRET);
  });
});

describe("values of the team's secrets are hidden", () => {
  const values = ['pass"word', "update", "a b/c=d", "short".slice(0, 5)];

  it("in every text of a plan, as URLs and JSON write them, too", () => {
    const plan = createDeployPlanSchema.parse({
      project: "shop",
      changes: [
        {
          type: "update",
          kind: "check",
          name: 'Home pass"word',
          remoteId: null,
          fieldChanges: [
            {
              field: 'labels.pass"word',
              oldValue: ['x pass"word y'],
              newValue: { "a b/c=d": "?q=a%20b%2Fc%3Dd" },
            },
            { field: "assertions", oldValue: JSON.stringify({ is: 'pass"word' }), newValue: null },
          ],
        },
      ],
      summary: { create: 0, update: 1, delete: 0, unchanged: 0 },
      prunable: [{ kind: "slo", name: 'pass"word' }],
      ci: { commit: 'pass"word', branch: null, author: "update", url: "https://ci.example/?x=a%20b%2Fc%3Dd" },
    });
    const text = JSON.stringify(hideSecrets(plan, values));
    for (const one of ['pass\\"word', "a b/c=d", "a%20b%2Fc%3Dd"]) expect(text).not.toContain(one);
    expect(hideSecrets(plan, values)).toMatchObject({
      // Words of the plan itself stay, though a secret is one of them.
      changes: [{ type: "update", kind: "check", name: `Home ${REDACTED}` }],
      summary: plan.summary,
      ci: { author: REDACTED, url: `https://ci.example/?x=${REDACTED}` },
    });
    expect(createDeployPlanSchema.safeParse(hideSecrets(plan, values)).success).toBe(true);
  });

  it("but not one of fewer than 6 characters, which is found in every other text", () => {
    expect(hidden("slo", "name", "a short name", values)?.oldValue).toBe("a short name");
  });

  it("and a name that grows stays within its limit", () => {
    const plan = planOf("slo", "name", null);
    const [change] = plan.changes;
    const long = hideSecrets({ ...plan, changes: [{ ...change, name: "secret".repeat(100) } as never] }, [
      "secret",
    ]);
    expect(createDeployPlanSchema.safeParse(long).success).toBe(true);
  });
});

it("a plan without secrets, or with its secrets hidden, stays as it is", () => {
  const plan = planOf("check", "auth", REDACTED, REDACTED);
  expect(hideSecrets(plan, [])).toEqual(plan);
  const masked = { ...planOf("channel", "url", "https://hooks.example") };
  expect(hideSecrets(masked, [SECRET])).toEqual(masked);
});

it("a plan of a mebibyte with a thousand secrets is looked through in well under a second", () => {
  const values = Array.from({ length: 1_000 }, (_, i) => `https://aaaaaaaaaaaa${i}`.repeat(50));
  const text = "https://aaaaaaaaaaaa".repeat(500);
  const plan = planOf(
    "alert",
    "conditions",
    Array.from({ length: 100 }, () => text),
  );
  const before = process.cpuUsage().user;
  hideSecrets(plan, values);
  expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(1_000);
});
