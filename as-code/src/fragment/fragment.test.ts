import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { completeFragment, FragmentError, namesInFragment } from "./fragment.ts";

const EXISTING = `project: shop
defaults: { frequency: 5m, locations: [loc_us_east] }
alertChannels:
  ops: { type: webhook, url: "{{secrets.OPS_URL}}" }
monitors:
  - name: Checkout
    type: http
    url: https://shop.example/checkout
    frequency: 1m
    alerts:
      - { name: down, conditions: [{ type: consecutive_failures }], channels: ["@ops"] }
  - name: Flow
    type: browser
    script: ./monitors/flow.ts
`;

const complete = (text: string) => parse(completeFragment(text, EXISTING)) as Record<string, never>;

describe("a fragment", () => {
  it("names its monitors, those that its SLOs and windows are about, and its channels", () => {
    const text = `monitors: [{ name: A, alerts: [{ channels: ["@ops"] }] }, { name: B }]
slos: [{ monitor: C, channels: ["@ops", plain] }, { pattern: P }]
alertPolicies: [{ channels: ["@night"] }]
maintenanceWindows: [{ checks: [A, D] }, { checks: all }]`;
    expect(namesInFragment(text)).toEqual({
      monitors: ["A", "B", "C", "D"],
      channels: ["ops", "night", "plain"],
    });
  });

  it("keeps what it doesn't say of a monitor, defaults included, and adds its rules to those that there are", () => {
    const { project, monitors, alertChannels } = complete(`monitors:
  - name: Checkout
    timeoutMs: 9000
    alerts: [{ name: slow, conditions: [{ type: response_time_threshold, maxMs: 5 }], channels: ["@ops"] }]`);
    expect(project).toBe("shop");
    expect(alertChannels).toEqual({ ops: { type: "webhook", url: "{{secrets.OPS_URL}}" } });
    expect(monitors).toEqual([
      {
        name: "Checkout",
        type: "http",
        frequency: "1m",
        locations: ["loc_us_east"],
        url: "https://shop.example/checkout",
        timeoutMs: 9000,
        alerts: [
          { name: "down", conditions: [{ type: "consecutive_failures" }], channels: ["@ops"] },
          { name: "slow", conditions: [{ type: "response_time_threshold", maxMs: 5 }], channels: ["@ops"] },
        ],
      },
      {
        name: "Flow",
        type: "browser",
        frequency: "5m",
        locations: ["loc_us_east"],
        script: "./monitors/flow.ts",
      },
    ]);
  });

  it("replaces a rule by one of its name", () => {
    const [checkout] = complete(
      `monitors: [{ name: Checkout, alerts: [{ name: down, conditions: [], channels: [] }] }]`,
    ).monitors as unknown as { alerts: unknown[] }[];
    expect(checkout?.alerts).toEqual([{ name: "down", conditions: [], channels: [] }]);
  });

  it("finds a monitor whose name looks like a placeholder", () => {
    const existing =
      "project: p\nmonitors: [{ name: 'a \\{{secrets.X}}', type: http, url: https://a.example/ }]";
    const text = "monitors: [{ name: 'a {{secrets.X}}', timeoutMs: 1 }]";
    expect(parse(completeFragment(text, existing)).monitors).toEqual([
      { name: "a \\{{secrets.X}}", type: "http", url: "https://a.example/", timeoutMs: 1 },
    ]);
  });

  it("completes a monitor that gets another name by the one that it had", () => {
    const { monitors } = complete("monitors: [{ name: Basket, renamedFrom: Checkout }]");
    expect(monitors).toMatchObject([
      { name: "Basket", renamedFrom: "Checkout", url: "https://shop.example/checkout" },
      { name: "Flow" },
    ]);
    expect(namesInFragment("monitors: [{ name: Basket, renamedFrom: Checkout }]").monitors).toEqual([
      "Basket",
      "Checkout",
    ]);
  });

  it("takes a new monitor for no one of a strange name", () => {
    const existing = "project: p\nmonitors: [{ name: undefined, type: http, url: https://a.example/ }]";
    const { monitors } = parse(completeFragment("monitors: [{ name: New, type: mcp }]", existing));
    expect(monitors).toEqual([
      { name: "New", type: "mcp" },
      { name: "undefined", type: "http", url: "https://a.example/" },
    ]);
  });

  it("names the channels that it has itself: they may exist", () => {
    expect(namesInFragment("alertChannels: { ops: { type: email } }").channels).toEqual(["ops"]);
  });

  it("can't point a channel that exists elsewhere", () => {
    const { alertChannels } = complete(
      `alertChannels: { ops: { type: webhook, url: "https://evil.example" } }\nmonitors: [{ name: Checkout }]`,
    );
    expect(alertChannels).toEqual({ ops: { type: "webhook", url: "{{secrets.OPS_URL}}" } });
  });

  it.each([
    ["- a list", /Expected a map/],
    ["text", /Expected a map/],
    ["monitors: {}", /monitors: expected a list of maps/],
    ["slos: [1]", /slos: expected a list of maps/],
    ["defaults: { frequency: 1s }", /defaults: a fragment has/],
    ["groups: []", /groups: a fragment has/],
    ["rotas: []", /rotas: a fragment has/],
    ["incidentPolicy: { steps: [] }", /incidentPolicy: a fragment has/],
    ["alertChannels: []", /alertChannels: expected a map/],
    ["monitors: [{ name: Checkout, type: mcp }]", /exists as a monitor of type http; its type can't change/],
    ["monitors: [{ name: Flow, script: ./other.ts }]", /script of Flow can't be changed/],
    ["monitors: [}", /no valid YAML/],
    ["a: 1\na: 2", /no valid YAML/],
    ["a: *unknown", /no valid YAML/],
    ["[".repeat(60_000), /no valid YAML|nested too deeply/],
  ])("is refused with the reason: %.40s", (text, problem) => {
    const work = () => completeFragment(text, EXISTING);
    expect(work).toThrow(FragmentError);
    expect(work).toThrow(problem);
  });

  it("of any text is completed or refused, and nothing else", () => {
    const keys = fc.constantFrom(
      "monitors",
      "slos",
      "alertChannels",
      "name",
      "alerts",
      "channels",
      "project",
    );
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom("Checkout", "Flow", "@ops", null, 1, true, ""),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.dictionary(keys, values), (root) => {
        try {
          expect(parse(completeFragment(JSON.stringify(root), EXISTING))).toHaveProperty("project");
        } catch (error) {
          if (!(error instanceof FragmentError)) throw error;
        }
      }),
    );
  });
});
