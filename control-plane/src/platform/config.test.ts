import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigError, configuredPublicUrl, parseConfig } from "./config.ts";

describe("parseConfig", () => {
  it("has defaults for everything on one machine; empty values count as unset", () => {
    const config = parseConfig({ SVC_PUBLIC_URL: "", UNRELATED: "x" });
    expect(config).toMatchObject({
      host: "127.0.0.1",
      httpPort: 8080,
      runnerPort: 8081,
      dataDir: "./data",
      rateLimitPerMinute: 6000,
      embeddedRunner: false,
      publicUrl: undefined,
      runnerHost: "127.0.0.1",
    });
    expect(configuredPublicUrl(config)).toBe("http://127.0.0.1:8080");
  });

  it.each([
    [{ SVC_HTTP_PORT: "web" }, /^SVC_HTTP_PORT: expected a port number/],
    [{ SVC_HTTP_PORT: "65536" }, /^SVC_HTTP_PORT: largest is 65535/],
    [{ DATABASE_URL: "mysql://x" }, /^DATABASE_URL: expected postgres/],
    [{ DATABASE_URL: "postgres://h,i:0/d" }, /^DATABASE_URL: the port of host 2/],
    [{ DATABASE_URL: "postgres://h/d?target_session_attrs=standby" }, /^DATABASE_URL: target_session_attrs/],
    [{ DATABASE_URL: "postgres://h/d" }, /^SVC_SECRET_KEY: required when DATABASE_URL is set/],
    [{ DATABASE_READ_URL: "postgres://h/d" }, /^DATABASE_READ_URL: .*DATABASE_URL, which is not set/],
    [{ DATABASE_READ_URL: "postgres://h/d?target_session_attrs=primary" }, /^DATABASE_READ_URL: target_sess/],
    [{ SVC_HEARTBEAT_URL: "ftp://h/x" }, /^SVC_HEARTBEAT_URL: expected an http/],
    [
      { SVC_HEARTBEAT_URL: "https://u:p@h/x" },
      /^SVC_HEARTBEAT_URL: expected a URL without user and password/,
    ],
    [{ SVC_SECRET_KEY: "short" }, /^SVC_SECRET_KEY: expected at least 32/],
    [{ SVC_BOOTSTRAP_API_KEY: "sk_1" }, /^SVC_BOOTSTRAP_API_KEY: expected sk_/],
    [{ SVC_BOOTSTRAP_RUNNER_KEY: "rk_1" }, /^SVC_BOOTSTRAP_RUNNER_KEY: expected rk_/],
    [{ SVC_BOOTSTRAP_EMAIL: "me" }, /^SVC_BOOTSTRAP_EMAIL/],
    [{ SVC_EMBEDDED_RUNNER: "maybe" }, /^SVC_EMBEDDED_RUNNER: expected true or false/],
    [{ SVC_OIDC_ISSUER: "https://id.example" }, /SVC_OIDC_CLIENT_ID.*set all three/],
    [{ SVC_RUNNER_TLS_CERT_FILE: "c.pem" }, /SVC_RUNNER_TLS_KEY_FILE: set both/],
    [{ SVC_ANALYSIS_LLM_URL: "https://llm.example/v1" }, /^SVC_LLM_MODEL: required with SVC_LLM_PROVIDER/],
    [
      { SVC_ANALYSIS_LLM_URL: "https://llm.example/v1", SVC_LLM_BASE_URL: "file:///x" },
      /^SVC_LLM_BASE_URL: expected an http/,
    ],
    [{ SVC_LLM_PROVIDER: "oracle" }, /^SVC_LLM_PROVIDER: expected anthropic or openai/],
    [{ SVC_LLM_MODEL: "small" }, /^SVC_LLM_PROVIDER: required with SVC_LLM_MODEL/],
    [{ SVC_LLM_PROVIDER: "anthropic" }, /^SVC_LLM_MODEL: required with SVC_LLM_PROVIDER/],
    [
      { SVC_LLM_PROVIDER: "anthropic", SVC_LLM_MODEL: "m" },
      /^SVC_LLM_API_KEY: required to ask api.anthropic.com/,
    ],
    [
      { SVC_STATUS_EXPORT_S3_REGION: "eu-central-1" },
      /^SVC_STATUS_EXPORT_S3_URL: required with SVC_ST.*REGION$/,
    ],
    [{ SVC_STATUS_EXPORT_S3_URL: "https://h/bucket" }, /^SVC_STATUS_EXPORT_S3_ACCESS_KEY_ID: required with/],
    [
      { SVC_STATUS_EXPORT_S3_URL: "https://h/bucket", SVC_STATUS_EXPORT_S3_ACCESS_KEY_ID: "id" },
      /^SVC_STATUS_EXPORT_S3_SECRET_ACCESS_KEY: required with/,
    ],
    [{ SVC_STATUS_EXPORT_S3_URL: "s3://bucket" }, /^SVC_STATUS_EXPORT_S3_URL: expected https:/],
    [{ SVC_STATUS_EXPORT_S3_REGION: "eu central" }, /^SVC_STATUS_EXPORT_S3_REGION: expected a region/],
    [{ SVC_STATUS_EXPORT_S3_ACCESS_KEY_ID: "a/b" }, /^SVC_STATUS_EXPORT_S3_ACCESS_KEY_ID: expected the id/],
    [{ SVC_ANALYSIS_LLM_URL: "file:///x" }, /^SVC_ANALYSIS_LLM_URL: expected an http/],
    [{ SVC_DATABASE_POOL_MAX: "3" }, /^SVC_DATABASE_POOL_MAX: smallest is 4/],
    [{ SVC_DATABASE_POOL_FLEET_MAX: "1" }, /^SVC_DATABASE_POOL_FLEET_MAX: smallest is 2/],
    [{ SVC_API_READ_TIMEOUT_MS: "15001" }, /^SVC_API_READ_TIMEOUT_MS: largest is 15000/],
  ])("%o ends the start with one line that names the variable", (environment, message) => {
    expect(() => parseConfig(environment)).toThrow(ConfigError);
    expect(() => parseConfig(environment)).toThrow(message);
  });

  it("takes the language model's former names, unless the present ones are set, and says so", () => {
    const former = {
      SVC_ANALYSIS_LLM_URL: "https://llm.example/v1/",
      SVC_ANALYSIS_LLM_MODEL: "small",
      SVC_ANALYSIS_LLM_KEY: "key",
      SVC_ANALYSIS_LLM_TIMEOUT_MS: "500",
    };
    const { languageModel, formerNames } = parseConfig(former);
    expect(languageModel).toEqual({
      provider: "openai",
      model: "small",
      apiKey: "key",
      baseUrl: "https://llm.example/v1",
      timeoutMs: 500,
    });
    expect(formerNames).toContainEqual({ former: "SVC_ANALYSIS_LLM_KEY", present: "SVC_LLM_API_KEY" });
    expect(parseConfig({ ...former, SVC_LLM_MODEL: "large" }).languageModel).toMatchObject({
      model: "large",
    });
    expect(parseConfig({ SVC_ANALYSIS_LLM_TIMEOUT_MS: "500" }).languageModel).toBeUndefined();
    const vendor = parseConfig({ SVC_LLM_PROVIDER: "anthropic", SVC_LLM_MODEL: "m", SVC_LLM_API_KEY: "k" });
    expect(vendor.languageModel).toMatchObject({
      baseUrl: "https://api.anthropic.com/v1",
      timeoutMs: 10_000,
    });
    expect(vendor.formerNames).toEqual([]);
  });

  it("reads a value from the file that a variable with _FILE names", () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-config-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "secret");
    writeFileSync(path, `${"k".repeat(40)}\n`);
    const environment = { SVC_SECRET_KEY_FILE: path, SVC_CAP_CHECKS_FILE: join(folder, "none") };
    expect(() => parseConfig(environment)).toThrow(/^SVC_CAP_CHECKS_FILE: can't be read: ENOENT/);
    expect(parseConfig({ SVC_SECRET_KEY_FILE: path }).secretKey).toBe("k".repeat(40));
    writeFileSync(path, "short");
    expect(() => parseConfig({ SVC_SECRET_KEY_FILE: path })).toThrow(/^SVC_SECRET_KEY: expected at least 32/);
  });

  it("names every bad variable at once", () => {
    const parse = () => parseConfig({ SVC_HTTP_PORT: "x", SVC_RUNNER_PORT: "y" });
    expect(parse).toThrow(/SVC_HTTP_PORT.*SVC_RUNNER_PORT/);
  });

  describe("of a local start", () => {
    const local = (environment: Record<string, string>) => parseConfig(environment, { isLocal: true });

    it("runs an agent and lets checks reach private addresses, unless settings say otherwise", () => {
      expect(local({})).toMatchObject({
        embeddedRunner: true,
        egressPrivate: "allow",
        isEgressPrivateByDefault: true,
      });
      expect(local({ SVC_EMBEDDED_RUNNER: "false", SVC_EGRESS_PRIVATE: "deny" })).toMatchObject({
        embeddedRunner: false,
        egressPrivate: "deny",
        isEgressPrivateByDefault: false,
      });
    });

    it.each([
      [{ SVC_HOST: "0.0.0.0" }, "SVC_HOST: 0.0.0.0 is not loopback"],
      [{ SVC_HOST: "::" }, "SVC_HOST: :: is not loopback"],
      [{ SVC_RUNNER_HOST: "10.0.0.7" }, "SVC_RUNNER_HOST: 10.0.0.7 is not loopback"],
    ])("is refused beyond loopback unless somebody decided about private addresses: %o", (given, message) => {
      const environment = { ...given } as Record<string, string>;
      expect(() => local(environment)).toThrow(message);
      for (const decision of ["allow", "deny"])
        expect(local({ ...environment, SVC_EGRESS_PRIVATE: decision }).egressPrivate).toBe(decision);
    });

    it.each(["127.0.0.1", "127.8.0.1", "::1", "localhost"])("is served on %s", (host) =>
      expect(local({ SVC_HOST: host }).host).toBe(host),
    );
  });

  it("denies private addresses where nobody allowed them, also to an agent beside the control plane", () => {
    expect(parseConfig({ SVC_EMBEDDED_RUNNER: "true" }).egressPrivate).toBe("deny");
  });
});
