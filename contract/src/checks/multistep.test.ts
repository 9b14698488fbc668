import { describe, expect, it } from "vitest";
import { fillVaultReferences } from "../resources/fill-vault-references.ts";
import { keepMaskedCheckConfig, maskCheckConfigForRead } from "../resources/mask-check-config.ts";
import { multistepCheck } from "./multistep.ts";
import { capturingGroups } from "./multistep-groups.ts";

const URL_A = "https://a.example.com/";
const EXTRACT = [{ name: "id", from: "json_path", path: "id" }];

/** Returns the refusals of a configuration by their paths. */
function refusals(config: unknown): Record<string, string> {
  const { error } = multistepCheck.configSchema.safeParse(config);
  return Object.fromEntries((error?.issues ?? []).map(({ path, message }) => [path.join("."), message]));
}
const second = (step: Record<string, unknown>) =>
  refusals({
    steps: [
      { name: "A", url: URL_A, extract: EXTRACT },
      { name: "B", url: URL_A, ...step },
    ],
  });

it("a step has the defaults of an HTTP check's request", () => {
  expect(multistepCheck.configSchema.parse({ steps: [{ name: "A", url: URL_A, extract: EXTRACT }] })).toEqual(
    {
      timeoutMs: 30_000,
      steps: [
        {
          name: "A",
          url: URL_A,
          method: "GET",
          followRedirects: true,
          maxRedirects: 5,
          assertions: [],
          extract: [{ ...EXTRACT[0], secret: false }],
        },
      ],
    },
  );
});

it.each<[string, Record<string, unknown>]>([
  ["path", { url: `${URL_A}x/{{values.id}}` }],
  ["query, with spaces", { url: `${URL_A}?a={{ values.id }}` }],
  ["header", { headers: { "X-Id": "a{{values.id}}b" } }],
  ["body", { method: "POST", body: "{{values.id}} {{other.id}} {{vault.X}}" }],
  ["credentials", { auth: { type: "basic", username: "u", password: "{{values.id}}" } }],
])("a value may stand in the %s of a later step", (_, step) => {
  expect(second(step)).toEqual({});
});

it.each<[string, Record<string, unknown>, string, RegExp]>([
  ["an unknown value", { url: `${URL_A}{{values.other}}` }, "steps.1.url", /no step before this one/],
  [
    "a value of the step itself",
    { url: `${URL_A}{{values.own}}`, extract: [{ ...EXTRACT[0], name: "own" }] },
    "steps.1.url",
    /no step before/,
  ],
  ["a host", { url: "https://{{values.id}}/" }, "steps.1.url", /which host is asked/],
  ["the end of a host", { url: "https://a.example.com{{values.id}}" }, "steps.1.url", /which host is asked/],
  [
    "a host behind characters that parsers skip",
    { url: "https:/\t/{{values.id}}/x" },
    "steps.1.url",
    /which host is asked/,
  ],
  ["a user", { url: "https://{{values.id}}@a.example.com/" }, "steps.1.url", /which host is asked/],
  ["a whole URL", { url: "{{values.id}}" }, "steps.1.url", /which host is asked/],
  ["the Host header", { headers: { hOST: "{{values.id}}" } }, "steps.1.headers.hOST", /which host is asked/],
  [
    "an assertion",
    { assertions: [{ type: "body_contains", value: "{{values.id}}" }] },
    "steps.1.assertions.0.value",
    /not replaced here/,
  ],
  ["a name", { name: "{{values.id}}" }, "steps.1.name", /not replaced here/],
  [
    "nearly a reference",
    { url: `${URL_A}{{value.id}}` },
    "steps.1.url",
    /is no reference; write \{\{values.NAME\}\}/,
  ],
  ["a name that none can have", { body: "{{values.a b}}" }, "steps.1.body", /is no reference/],
  [
    "a value that is extracted already",
    { extract: EXTRACT },
    "steps.1.extract.0.name",
    /is extracted already/,
  ],
  ["a step's name given twice", { name: "A" }, "steps.1.name", /another step/],
  [
    "a group that the pattern lacks",
    { extract: [{ name: "x", from: "regex", pattern: "(a)(?:b)", group: 2 }] },
    "steps.1.extract.0.group",
    /has 1 groups/,
  ],
  [
    "a group without a pattern",
    { extract: [{ name: "x", from: "header", header: "A", group: 1 }] },
    "steps.1.extract.0.group",
    /give one/,
  ],
  ["an unknown source", { extract: [{ name: "x", from: "cookie" }] }, "steps.1.extract.0.from", /./],
])("%s is refused", (_, step, path, message) => {
  expect(second(step)).toMatchObject({ [path]: expect.stringMatching(message) });
});

it.each([0, 21])("%i steps are refused", (length) => {
  const steps = Array.from({ length }, (_, at) => ({ name: `${at}`, url: URL_A }));
  expect(refusals({ steps })).toHaveProperty("steps");
});

it("all steps together have at most 100 assertions", () => {
  const assertions = Array.from({ length: 51 }, () => ({ type: "status_code", value: 200 }));
  const steps = ["A", "B"].map((name) => ({ name, url: URL_A, assertions }));
  expect(refusals({ steps })).toEqual({
    steps: expect.stringMatching(/at most 100 assertions; these have 102/),
  });
});

it.each([
  ["a(b)c", 1],
  ["\\((a)[(](?:b)(?=c)(?<!d)(?<n>e)", 2],
  ["(((", 3],
  ["", 0],
])("the groups of %j are counted", (pattern, groups) => {
  expect(capturingGroups(pattern)).toBe(groups);
});

describe("secrets of steps", () => {
  const config = {
    steps: [
      { name: "A", url: "https://a.example.com/?token=t-1", body: "b-1" },
      { name: "B", url: URL_A, headers: { "X-Key": "k-1" } },
    ],
  };

  it("are masked for a read, and kept by the step's name when it is sent back changed and in another order", () => {
    const masked = maskCheckConfigForRead("multistep", config) as typeof config;
    expect(JSON.stringify(masked)).not.toMatch(/t-1|b-1|k-1/);
    expect(maskCheckConfigForRead("multistep", config, { hasContent: true })).toMatchObject({
      steps: [{ body: "b-1" }, {}],
    });
    const [a, b] = masked.steps;
    const given = { steps: [{ ...b, method: "PUT" }, a] };
    expect(keepMaskedCheckConfig("multistep", given, config)).toEqual({
      steps: [{ ...config.steps[1], method: "PUT" }, config.steps[0]],
    });
    expect(() => keepMaskedCheckConfig("multistep", { steps: [{ ...b, name: "C" }] }, config)).toThrow(
      /steps\[0\]\.headers\.X-Key/,
    );
  });

  it("of the vault may not change a step's host", () => {
    const steps = [{ name: "A", url: "https://a.example.com{{vault.X}}/" }];
    expect(() =>
      fillVaultReferences({
        type: "multistep",
        config: { steps },
        values: new Map([["X", "@evil.example"]]),
      }),
    ).toThrow(/steps\[0\]\.url/);
  });
});
