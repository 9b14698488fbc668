import { type CheckChange, createSecrets, type Plan } from "@svc/as-code/plan";
import { expect, it } from "vitest";
import { Output } from "../output/output.ts";
import { planMarkdown } from "./plan-markdown.ts";

const stream = { isTty: false, columns: () => 80, write: () => undefined };
const out = (secrets = createSecrets()) =>
  new Output({
    stdout: stream as never,
    stderr: stream as never,
    secrets,
    isJson: false,
    isQuiet: false,
    isVerbose: false,
    hasColor: false,
  });

const aPlan = (changes: Partial<CheckChange>[], more: Partial<Plan> = {}): Plan => ({
  project: "shop",
  changes: changes.map((change) => ({
    kind: "check",
    type: "update",
    name: "home",
    remoteId: "chk_1",
    checkType: "http",
    fieldChanges: [],
    sendsCheck: true,
    sendsLabels: false,
    ...change,
  })) as CheckChange[],
  prunable: [],
  leftAlone: [],
  locationNotices: [],
  isPruning: false,
  ...more,
});
const markdown = (plan: Plan, exceeded: { message: string }[] = []) =>
  planMarkdown(out(), { plan, exceeded: exceeded as never });

it("is a table of what changes, with the totals above it and limits below", () => {
  const plan = aPlan(
    [
      {
        type: "create",
        name: "new",
        remoteId: null,
        desired: { frequencySeconds: 300, locations: ["a", "b"] } as never,
      } as never,
      {
        fieldChanges: [
          { field: "url", oldValue: "https://a", newValue: "https://b" },
          { field: "headers.Authorization", oldValue: "***", newValue: "***", redacted: true },
          { field: "script", oldValue: "a", newValue: "b" },
          { field: "retry", oldValue: null, newValue: { count: 2 } },
        ],
        drift: "drift",
      },
      { type: "unchanged", name: "other" },
    ],
    {
      locationNotices: [{ monitor: "home", locationId: "loc_a", message: "loc_a is deprecated; use loc_b" }],
    },
  );
  expect(markdown(plan, [{ message: "11 checks; the plan allows 10" }])).toEqual([
    "### svc: plan for `shop`",
    "",
    "**1 to create, 1 to update, 0 to delete, 1 unchanged**",
    "",
    "| | Resource | Change |",
    "| --- | --- | --- |",
    "| create | monitor `new` | http, every 5m, 2 locations |",
    '| update | monitor `home` | **changed on the service**<br>`url`: `https://a` → `https://b`<br>`headers.Authorization`: the value changed and is hidden<br>`script`: changed<br>`retry`: none → `{"count":2}` |',
    "",
    "- **Beyond a limit:** `11 checks; the plan allows 10`",
    "- Monitor `home`: `loc_a is deprecated; use loc_b`",
  ]);
});

it("says the totals alone where nothing changes", () => {
  expect(markdown(aPlan([{ type: "unchanged" }]))).toEqual([
    "### svc: plan for `shop`",
    "",
    "**0 to create, 0 to update, 0 to delete, 1 unchanged**",
  ]);
});

it.each([
  ["a mention", "@everyone", "`@everyone`"],
  ["HTML and an image", '<img src="https://x">![a](https://x)', '`<img src="https://x">![a](https://x)`'],
  ["a bar, which would end the cell", "a|b", "`a\\|b`"],
  ["backticks, which would end the code", "a``b`c", "``` a``b`c ```"],
  ["line breaks", "a\n\n# b", "`a  # b`"],
  ["nothing", " ", "(empty)"],
  ["a long text", "x".repeat(500), `\`${"x".repeat(199)}…\``],
])("keeps %s within the cell", (_, name, expected) => {
  expect(markdown(aPlan([{ name }])).at(-1)).toBe(`| update | monitor ${expected} |  |`);
});

it("hides values of secrets", () => {
  const secrets = createSecrets();
  secrets.add("hunter2-hunter2");
  const plan = aPlan([
    { fieldChanges: [{ field: "url", oldValue: null, newValue: "https://x/?key=hunter2-hunter2" }] },
  ]);
  expect(planMarkdown(out(secrets), { plan, exceeded: [] }).join("\n")).not.toContain("hunter2");
});

it("stays within what a comment holds, and counts the rest", () => {
  const fieldChanges = Array.from({ length: 40 }, (_, i) => ({
    field: `f${i}`,
    oldValue: "x".repeat(300),
    newValue: "y",
  }));
  const lines = markdown(aPlan(Array.from({ length: 500 }, (_, i) => ({ name: `m${i}`, fieldChanges }))));
  expect(lines.join("\n").length).toBeLessThan(60_000);
  const rows = lines.filter((line) => line.startsWith("| update"));
  expect(rows.length).toBeGreaterThan(5);
  expect(rows[0]).toContain("and 20 more fields");
  expect(lines.at(-1)).toBe(`... and ${500 - rows.length} more; \`svc diff\` lists them all.`);
});
