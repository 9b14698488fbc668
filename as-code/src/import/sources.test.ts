/** Tests of all sources alike: each export becomes a valid config without a secret. */
import { expect, it } from "vitest";
import { EXPORTS } from "../../test-support/exports/exports.ts";
import { imported } from "../../test-support/imported.ts";
import { importSources } from "./index.ts";

it("each source has an export here, and every export becomes a config that svc validate finds no fault with", () => {
  expect(Object.keys(EXPORTS).sort()).toEqual([...importSources.types].sort());
  for (const [from, contents] of Object.entries(EXPORTS)) {
    const { monitors, problems } = imported(from, contents);
    expect([from, problems]).toEqual([from, []]);
    expect(Object.keys(monitors).length).toBeGreaterThan(1);
  }
});

it("no secret of an export stands in the config or in a note, and each has a variable", () => {
  const secret = /[\w-]*-(?:secret|token|pass|body|key|user|slack|hook|query|group|discord|url)-1/g;
  for (const [from, contents] of Object.entries(EXPORTS)) {
    const planted = new Set(JSON.stringify(contents).match(secret));
    const { yaml, allNotes, secrets } = imported(from, contents);
    expect([from, planted.size > 1]).toEqual([from, true]);
    const shown = yaml + JSON.stringify(allNotes);
    expect([from, [...planted].filter((one) => shown.includes(one))]).toEqual([from, []]);
    expect(secrets.length).toBeGreaterThan(1);
  }
});

it("monitors of other types than HTTP and browser come along", () => {
  const expected = {
    checkly: ["heartbeat", "tcp"],
    "uptime-kuma": ["tcp"],
    datadog: ["tls", "multistep"],
    grafana: ["ping"],
    gatus: ["tcp", "dns", "ping"],
    blackbox: ["tcp"],
  };
  for (const [from, types] of Object.entries(expected)) {
    const { monitors } = imported(from, EXPORTS[from] ?? []);
    const found = new Set(Object.values(monitors).map(({ type }) => type));
    expect([from, types.filter((type) => !found.has(type))]).toEqual([from, []]);
  }
});
