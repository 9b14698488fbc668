import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigError, parseConfig } from "./config.ts";

const REQUIRED = { SVC_RUNNER_KEY: `rk_${"0".repeat(64)}`, SVC_CONTROL_PLANE_URL: "http://127.0.0.1:8081" };

describe("the settings", () => {
  it("need the key and the address only", () => {
    expect(parseConfig(REQUIRED)).toMatchObject({
      controlPlaneUrl: "http://127.0.0.1:8081",
      healthHost: "127.0.0.1",
      healthPort: 8082,
      maxInFlight: 100,
      spoolBytesMax: 1024 ** 3,
      locationIds: [],
      isPrivateEgressAllowed: undefined,
      logLevel: "info",
    });
  });

  it.each([
    ["SVC_RUNNER_HEALTH_PORT", "off", { healthPort: undefined }],
    ["SVC_RUNNER_HEALTH_PORT", "0", { healthPort: 0 }],
    ["SVC_RUNNER_LOCATIONS", " loc_a, loc_b,", { locationIds: ["loc_a", "loc_b"] }],
    ["SVC_EGRESS_PRIVATE", "deny", { isPrivateEgressAllowed: false }],
    ["SVC_EGRESS_PRIVATE", "", { isPrivateEgressAllowed: undefined }],
    ["SVC_RUNNER_DATA_DIR", "/tmp/x", { dataDir: "/tmp/x" }],
    ["SVC_CONTROL_PLANE_URL", "https://svc.example.com/", { controlPlaneUrl: "https://svc.example.com" }],
  ])("%s=%s", (name, value, expected) => {
    expect(parseConfig({ ...REQUIRED, [name]: value })).toMatchObject(expected);
  });

  it.each([
    ["SVC_RUNNER_KEY", undefined],
    ["SVC_RUNNER_KEY", "sk_1234"],
    ["SVC_CONTROL_PLANE_URL", undefined],
    ["SVC_CONTROL_PLANE_URL", "ftp://host"],
    ["SVC_CONTROL_PLANE_URL", "host:8081"],
    ["SVC_CONTROL_PLANE_URL", "http://host/path"],
    ["SVC_RUNNER_HEALTH_PORT", "65536"],
    ["SVC_RUNNER_HEALTH_PORT", "on"],
    ["SVC_RUNNER_MAX_IN_FLIGHT", "0"],
    ["SVC_RUNNER_MAX_IN_FLIGHT", "1.5"],
    ["SVC_RUNNER_SPOOL_BYTES_MAX", "-1"],
    ["SVC_RUNNER_BODY_BYTES_MAX", "1000"],
    ["SVC_RUNNER_CAPACITY_PER_SECOND", "many"],
    ["SVC_EGRESS_PRIVATE", "yes"],
    ["SVC_RUNNER_CA_FILE", "/nowhere/ca.pem"],
    ["LOG_LEVEL", "loud"],
  ])("%s=%s ends the start with one line that names it and not the key", (name, value) => {
    const parse = () => parseConfig({ ...REQUIRED, [name]: value });
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(new RegExp(`^${name} [^\\n]+$`));
    expect(parse).not.toThrow(/sk_1234|0{64}/);
  });

  it("reads the runner key from the file that SVC_RUNNER_KEY_FILE names", () => {
    const { SVC_RUNNER_KEY, ...others } = REQUIRED;
    const folder = mkdtempSync(join(tmpdir(), "svc-config-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "key");
    writeFileSync(path, `${SVC_RUNNER_KEY}\n`);
    expect(parseConfig({ ...others, SVC_RUNNER_KEY_FILE: path }).runnerKey).toBe(SVC_RUNNER_KEY);
    const missing = () => parseConfig({ ...others, SVC_RUNNER_KEY_FILE: join(folder, "none") });
    expect(missing).toThrow(/^SVC_RUNNER_KEY_FILE: can't be read: ENOENT/);
  });

  it("reports everything wrong at once", () => {
    expect(() => parseConfig({})).toThrow(/SVC_RUNNER_KEY.*SVC_CONTROL_PLANE_URL/);
  });
});
