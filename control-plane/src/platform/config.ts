/**
 * The control plane's settings: environment variables, parsed once. A bad value ends the start with one clear line that
 * names the variable.
 */
import * as z from "zod";

const booleanText = z
  .enum(["true", "false", "1", "0"], "expected true or false")
  .transform((text) => text === "true" || text === "1");
const port = z.coerce
  .number("expected a port number")
  .int()
  .min(0, "smallest is 0")
  .max(65_535, "largest is 65535");
const positiveInteger = z.coerce.number("expected a whole number").int().min(1, "smallest is 1");

const settingsSchema = z.object({
  SVC_HOST: z.string().min(1).default("127.0.0.1"),
  SVC_HTTP_PORT: port.default(8080),
  SVC_RUNNER_HOST: z.string().min(1).optional(),
  SVC_RUNNER_PORT: port.default(8081),
  SVC_RUNNER_TLS_CERT_FILE: z.string().min(1).optional(),
  SVC_RUNNER_TLS_KEY_FILE: z.string().min(1).optional(),
  SVC_PUBLIC_URL: z.url("expected a URL").optional(),
  SVC_DATA_DIR: z.string().min(1).default("./data"),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "expected postgres://user:password@host:port/database")
    .optional(),
  SVC_DATABASE_POOL_MAX: z.coerce.number("expected a whole number").int().min(4, "smallest is 4").default(20),
  SVC_SECRET_KEY: z.string().min(32, "expected at least 32 characters").optional(),
  SVC_SECRET_KEY_PREVIOUS: z.string().min(32, "expected at least 32 characters").optional(),
  SVC_BOOTSTRAP_API_KEY: z
    .string()
    .regex(/^sk_[0-9a-f]{64}$/, "expected sk_ followed by 64 lower-case hexadecimal digits")
    .optional(),
  SVC_BOOTSTRAP_EMAIL: z.email("expected an email address").optional(),
  SVC_BOOTSTRAP_PASSWORD: z.string().min(8, "expected at least 8 characters").optional(),
  SVC_EMBEDDED_RUNNER: booleanText.default(false),
  SVC_EGRESS_PRIVATE: z.enum(["allow", "deny"], "expected allow or deny").optional(),
  SVC_SPEC_LOADER_PRIVATE: z.enum(["allow", "deny"], "expected allow or deny").default("deny"),
  SVC_SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^/]/, "expected smtp://user:password@host:port or smtps://...")
    .optional(),
  SVC_SMTP_FROM: z
    .string()
    .regex(/^[^\r\n]*[^\s@]+@[^\s@]+$/, "expected an email address, with or without a name")
    .optional(),
  SVC_PAGING_BASE_URL: z.url("expected a URL").optional(),
  SVC_RATE_LIMIT_PER_MINUTE: positiveInteger.default(6000),
  SVC_TRUST_PROXY: booleanText.default(false),
  SVC_RETENTION_DAYS: positiveInteger.default(30),
  SVC_ROLLUP_RETENTION_MONTHS: positiveInteger.default(13),
  SVC_ALERT_RETENTION_DAYS: positiveInteger.default(400),
  SVC_INCIDENT_RETENTION_DAYS: positiveInteger.default(400),
  SVC_ARTIFACTS: z.enum(["folder", "database"], "expected folder or database").optional(),
  SVC_ARTIFACT_TEAM_BYTES_MAX: positiveInteger.default(10 * 1024 ** 3),
  SVC_OIDC_ISSUER: z.url("expected a URL").optional(),
  SVC_OIDC_CLIENT_ID: z.string().min(1).optional(),
  SVC_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  SVC_ANALYSIS_LLM_URL: z
    .url({ protocol: /^https?$/, error: "expected an http:// or https:// URL" })
    .optional(),
  SVC_ANALYSIS_LLM_MODEL: z.string().min(1).max(100).optional(),
  SVC_ANALYSIS_LLM_KEY: z
    .string()
    .regex(/^[!-~]+$/, "expected a key without spaces")
    .optional(),
  SVC_ANALYSIS_LLM_TIMEOUT_MS: positiveInteger.max(60_000, "largest is 60000").default(10_000),
  LOG_LEVEL: z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
});

/** The settings as read, plus what follows from them. */
export type Config = z.infer<typeof settingsSchema> & {
  /** Base of links in what people receive; no trailing slash. */
  publicUrl: string;
  /** Where the runners' listener binds. */
  runnerHost: string;
};

/** Every environment variable that the control plane reads. */
export const SETTING_NAMES = Object.keys(settingsSchema.shape);

/** A setting that can't be used; the message is the one line to print. */
export class ConfigError extends Error {}

/** Parses the environment. Empty values count as unset. @throws ConfigError naming every bad variable */
export function parseConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => SETTING_NAMES.includes(name) && value !== ""),
  );
  const parsed = settingsSchema.safeParse(given);
  if (!parsed.success)
    throw new ConfigError(
      parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; "),
    );
  const settings = parsed.data;
  assertConsistent(settings);
  return {
    ...settings,
    publicUrl: (settings.SVC_PUBLIC_URL ?? urlOf(settings.SVC_HOST, settings.SVC_HTTP_PORT)).replace(
      /\/+$/,
      "",
    ),
    runnerHost: settings.SVC_RUNNER_HOST ?? settings.SVC_HOST,
  };
}

/** The URL by which this machine reaches a listener of its own; one on all addresses is reached by loopback. */
export function urlOf(host: string, port: number): string {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

function assertConsistent(settings: z.infer<typeof settingsSchema>): void {
  if (settings.DATABASE_URL && !settings.SVC_SECRET_KEY)
    throw new ConfigError(
      "SVC_SECRET_KEY: required when DATABASE_URL is set, so that every replica encrypts alike; make one with: openssl rand -hex 32",
    );
  if (Boolean(settings.SVC_RUNNER_TLS_CERT_FILE) !== Boolean(settings.SVC_RUNNER_TLS_KEY_FILE))
    throw new ConfigError("SVC_RUNNER_TLS_CERT_FILE and SVC_RUNNER_TLS_KEY_FILE: set both or neither");
  if (Boolean(settings.SVC_SMTP_URL) !== Boolean(settings.SVC_SMTP_FROM))
    throw new ConfigError("SVC_SMTP_URL and SVC_SMTP_FROM: set both or neither");
  if (Boolean(settings.SVC_ANALYSIS_LLM_URL) !== Boolean(settings.SVC_ANALYSIS_LLM_MODEL))
    throw new ConfigError("SVC_ANALYSIS_LLM_URL and SVC_ANALYSIS_LLM_MODEL: set both or neither");
  const oidc = [settings.SVC_OIDC_ISSUER, settings.SVC_OIDC_CLIENT_ID, settings.SVC_OIDC_CLIENT_SECRET];
  if (oidc.some(Boolean) && !oidc.every(Boolean))
    throw new ConfigError(
      "SVC_OIDC_ISSUER, SVC_OIDC_CLIENT_ID and SVC_OIDC_CLIENT_SECRET: set all three or none",
    );
}
