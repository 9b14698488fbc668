/** blackbox_exporter's modules and jobs: which part becomes which field. */
import { describe, expect, it } from "vitest";
import { BLACKBOX_JOBS, BLACKBOX_MODULES } from "../../../test-support/exports/blackbox.ts";
import { imported } from "../../../test-support/imported.ts";

const within200 = [
  { type: "status_code", operator: "greater_than", value: 199 },
  { type: "status_code", operator: "less_than", value: 300 },
];

describe("blackbox", () => {
  const { monitors, notes } = imported("blackbox", [BLACKBOX_MODULES, BLACKBOX_JOBS]);

  it("each target of a probing job is a monitor, with its module's request and its job's frequency", () => {
    expect(Object.keys(monitors)).toEqual([
      "db.example.org:5432",
      "example.com/health",
      "https://example.org",
      "https://files.example.org",
      "login: https://example.org",
    ]);
    expect(monitors["example.com/health"]).toMatchObject({
      url: "http://example.com/health",
      timeoutMs: 5000,
      labels: ["job:web", "team:shop"],
      assertions: within200,
    });
    expect(monitors["login: https://example.org"]).toMatchObject({
      frequency: "10s",
      timeoutMs: 10_000,
      method: "POST",
      followRedirects: false,
      auth: { type: "basic" },
      assertions: [
        { type: "status_code", operator: "greater_than", value: 199 },
        { type: "status_code", operator: "less_than", value: 203 },
        { type: "body_matches", pattern: "^(?![\\s\\S]*(?:Exception))" },
        { type: "body_matches", pattern: "welcome" },
        { type: "header_value", header: "Server", operator: "contains", value: "nginx" },
      ],
    });
    expect(monitors["https://files.example.org"]?.auth).toEqual({
      type: "bearer",
      token: "{{secrets.ETC_SECRETS_TOKEN}}",
    });
  });

  it("modules without targets, targets without modules and discovered targets are named", () => {
    expect(notes).toContain("modules.unused: no job here probes a target by the module unused");
    expect(notes).toContain(
      "scrape_configs[4].static_configs[0].targets[0]: the module missing is not in these files",
    );
    expect(notes.some((note) => note.startsWith("scrape_configs[2].file_sd_configs:"))).toBe(true);
    expect(imported("blackbox", BLACKBOX_MODULES).monitors).toEqual({});
  });
});
