/** A list of requests in a configuration: how it is pulled, planned and hashed. */
import type { Check } from "@svc/contract";
import { expect, it } from "vitest";
import { configOf } from "./describe.ts";
import { createPlaceholders } from "./placeholders.ts";
import { fieldChanges } from "./plan/field-changes.ts";
import { fingerprint } from "./plan/fingerprint.ts";
import { createSecrets } from "./plan/secrets.ts";
import type { DescribedRecords } from "./records.ts";

const first = {
  name: "Log in",
  url: "https://a.example.com/?token=secret-1",
  method: "POST",
  headers: { "X-Key": "secret-2" },
  body: "b-1",
};
const second = {
  name: "Look",
  url: "https://a.example.com/{{values.id}}",
  auth: { type: "bearer", token: "{{values.token}}" },
};

it("its secrets become placeholders, and its references to values stay", () => {
  const check = {
    id: "chk_1",
    name: "Shop",
    type: "multistep",
    enabled: true,
    frequencySeconds: 60,
    locations: ["loc_a"],
    retry: null,
    configJson: { steps: [first, second], timeoutMs: 30_000 },
  } as unknown as Check;
  const records = {
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
  } as unknown as DescribedRecords;
  const [monitor] = configOf(records, createPlaceholders({})).monitors;
  expect(monitor?.fields.steps).toEqual([
    {
      ...first,
      url: "https://a.example.com/?token={{secrets.SHOP_LOG_IN_TOKEN}}",
      headers: { "X-Key": "{{secrets.SHOP_LOG_IN_X_KEY}}" },
    },
    second,
  ]);
});

it("its hash follows its bodies and not its credentials", () => {
  const hash = (step: object) =>
    fingerprint("check", { type: "multistep", steps: [{ ...first, ...step }] }, createSecrets());
  expect(hash({ headers: { "X-Key": "secret-3" } })).toBe(hash({}));
  expect(hash({ body: "b-2" })).not.toBe(hash({}));
  expect(hash({ method: "PUT" })).not.toBe(hash({}));
});

it("a change of it shows no secret, and names the change of one", () => {
  const changes = (step: object) =>
    fieldChanges({
      kind: "check",
      before: { type: "multistep", steps: [first] },
      after: { type: "multistep", steps: [{ ...first, ...step }] },
      secrets: createSecrets(),
    });
  expect(JSON.stringify(changes({ method: "PUT" }))).not.toMatch(/secret-|b-1/);
  expect(changes({ method: "PUT" }).map(({ field }) => field)).toEqual(["steps"]);
  expect(changes({ body: "b-2" })).toMatchObject([{ field: "steps", redacted: true }]);
  expect(changes({ method: "PUT", body: "b-2" }).map(({ field }) => field)).toEqual([
    "steps",
    "steps.credentials",
  ]);
});
