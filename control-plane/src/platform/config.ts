/**
 * Settings of the control plane: environment variables, parsed once. A bad value ends the start with one line that names
 * every bad variable. The code knows a setting by its field of `Config`, the operator by its variable; `SETTINGS` is the one
 * place that joins the two.
 */
import { readFileSync } from "node:fs";
import { isLoopbackHost, readEnvironmentFiles } from "@svc/contract";
import { OTEL_SIGNALS, type OtelSettings, parseOtelSettings } from "@svc/otel";
import * as z from "zod";
import { FORMER_NAMES, withGivenNames, withPresentNames } from "./former-names.ts";
import {
  type LanguageModelSettings,
  LLM_PROVIDERS,
  type LlmVariables,
  languageModelSettings,
} from "./language-model/settings.ts";
import { reachableUrl } from "./reachable-url.ts";
import {
  type S3Settings,
  type S3Variables,
  s3AccessKeyId,
  s3Region,
  s3Secret,
  s3Settings,
  s3Url,
} from "./s3-settings.ts";
import {
  allowOrDeny,
  booleanText,
  databaseUrl,
  oidcDomains,
  parseSettings,
  poolSize,
  port,
  positiveInteger,
  type Setting,
  secretKey,
  setting,
  text,
  url,
  wholeNumber,
} from "./setting.ts";
import { TEAM_CAPS, type TeamCaps } from "./team-caps.ts";

/** Every setting, by its field of `Config`: the variable's name in camelCase, without `SVC_`. */
const SETTINGS = {
  host: setting("SVC_HOST", text.default("127.0.0.1")),
  httpPort: setting("SVC_HTTP_PORT", port.default(8080)),
  runnerHost: setting("SVC_RUNNER_HOST", text.optional()),
  runnerPort: setting("SVC_RUNNER_PORT", port.default(8081)),
  runnerConnectionsMax: setting("SVC_RUNNER_CONNECTIONS_MAX", positiveInteger.default(10_000)),
  runnerSessionsPerKeyMax: setting("SVC_RUNNER_SESSIONS_PER_KEY_MAX", positiveInteger.default(200)),
  runnerSessionsPerTeamMax: setting("SVC_RUNNER_SESSIONS_PER_TEAM_MAX", positiveInteger.default(1_000)),
  runnerTlsCertFile: setting("SVC_RUNNER_TLS_CERT_FILE", text.optional()),
  runnerTlsKeyFile: setting("SVC_RUNNER_TLS_KEY_FILE", text.optional()),
  publicUrl: setting("SVC_PUBLIC_URL", url.optional()),
  heartbeatUrl: setting(
    "SVC_HEARTBEAT_URL",
    z
      .url({ protocol: /^https?$/, error: "expected an http:// or https:// URL" })
      .refine((given) => !new URL(given).username && !new URL(given).password, {
        error: "expected a URL without user and password, which no request may carry in its URL",
      })
      .optional(),
  ),
  dataDir: setting("SVC_DATA_DIR", text.default("./data")),
  databaseUrl: setting("DATABASE_URL", databaseUrl("writes").optional()),
  databaseReadUrl: setting("DATABASE_READ_URL", databaseUrl("reads").optional()),
  databasePoolMax: setting("SVC_DATABASE_POOL_MAX", wholeNumber.min(4, "smallest is 4").default(20)),
  databasePoolFleetMax: setting("SVC_DATABASE_POOL_FLEET_MAX", poolSize.optional()),
  databasePoolJobsMax: setting("SVC_DATABASE_POOL_JOBS_MAX", poolSize.optional()),
  databasePoolApiMax: setting("SVC_DATABASE_POOL_API_MAX", wholeNumber.min(4, "smallest is 4").optional()),
  apiReadTimeoutMs: setting(
    "SVC_API_READ_TIMEOUT_MS",
    wholeNumber.min(100, "smallest is 100").max(15_000, "largest is 15000").default(8_000),
  ),
  secretKey: setting("SVC_SECRET_KEY", secretKey.optional()),
  secretKeyPrevious: setting("SVC_SECRET_KEY_PREVIOUS", secretKey.optional()),
  bootstrapApiKey: setting(
    "SVC_BOOTSTRAP_API_KEY",
    z
      .string()
      .regex(/^sk_[0-9a-f]{64}$/, "expected sk_ followed by 64 lower-case hexadecimal digits")
      .optional(),
  ),
  bootstrapRunnerKey: setting(
    "SVC_BOOTSTRAP_RUNNER_KEY",
    z
      .string()
      .regex(/^rk_[0-9a-f]{64}$/, "expected rk_ followed by 64 lower-case hexadecimal digits")
      .optional(),
  ),
  bootstrapEmail: setting("SVC_BOOTSTRAP_EMAIL", z.email("expected an email address").optional()),
  bootstrapPassword: setting(
    "SVC_BOOTSTRAP_PASSWORD",
    z.string().min(8, "expected at least 8 characters").optional(),
  ),
  embeddedRunner: setting("SVC_EMBEDDED_RUNNER", booleanText.default(false)),
  egressPrivate: setting("SVC_EGRESS_PRIVATE", allowOrDeny.optional()),
  specLoaderPrivate: setting("SVC_SPEC_LOADER_PRIVATE", allowOrDeny.default("deny")),
  smtpUrl: setting(
    "SVC_SMTP_URL",
    z
      .string()
      .regex(/^smtps?:\/\/[^/]/, "expected smtp://user:password@host:port or smtps://...")
      .optional(),
  ),
  smtpFrom: setting(
    "SVC_SMTP_FROM",
    z
      .string()
      .regex(/^[^\r\n]*[^\s@]+@[^\s@]+$/, "expected an email address, with or without a name")
      .optional(),
  ),
  pagingBaseUrl: setting("SVC_PAGING_BASE_URL", url.optional()),
  rateLimitPerMinute: setting("SVC_RATE_LIMIT_PER_MINUTE", positiveInteger.default(6000)),
  liveStreamsPerTeamMax: setting("SVC_LIVE_STREAMS_PER_TEAM_MAX", positiveInteger.default(2_000)),
  trustProxy: setting("SVC_TRUST_PROXY", booleanText.default(false)),
  retentionDays: setting("SVC_RETENTION_DAYS", positiveInteger.default(30)),
  rollupRetentionMonths: setting("SVC_ROLLUP_RETENTION_MONTHS", positiveInteger.default(13)),
  alertRetentionDays: setting("SVC_ALERT_RETENTION_DAYS", positiveInteger.default(400)),
  incidentRetentionDays: setting("SVC_INCIDENT_RETENTION_DAYS", positiveInteger.default(400)),
  auditRetentionMonths: setting("SVC_AUDIT_RETENTION_MONTHS", positiveInteger.default(13)),
  auditEntriesMax: setting("SVC_AUDIT_ENTRIES_MAX", positiveInteger.default(200_000)),
  historyRetentionDays: setting("SVC_HISTORY_RETENTION_DAYS", positiveInteger.default(400)),
  artifacts: setting(
    "SVC_ARTIFACTS",
    z.enum(["folder", "database"], "expected folder or database").optional(),
  ),
  statusExportDir: setting("SVC_STATUS_EXPORT_DIR", text.optional()),
  statusExportS3Url: setting("SVC_STATUS_EXPORT_S3_URL", s3Url.optional()),
  statusExportS3Region: setting("SVC_STATUS_EXPORT_S3_REGION", s3Region.optional()),
  statusExportS3AccessKeyId: setting("SVC_STATUS_EXPORT_S3_ACCESS_KEY_ID", s3AccessKeyId.optional()),
  statusExportS3SecretAccessKey: setting("SVC_STATUS_EXPORT_S3_SECRET_ACCESS_KEY", s3Secret.optional()),
  statusExportS3SessionToken: setting("SVC_STATUS_EXPORT_S3_SESSION_TOKEN", s3Secret.optional()),
  artifactTeamBytesMax: setting("SVC_ARTIFACT_TEAM_BYTES_MAX", positiveInteger.default(10 * 1024 ** 3)),
  oidcIssuer: setting("SVC_OIDC_ISSUER", url.optional()),
  oidcClientId: setting("SVC_OIDC_CLIENT_ID", text.optional()),
  oidcClientSecret: setting("SVC_OIDC_CLIENT_SECRET", text.optional()),
  oidcAllowedDomains: setting("SVC_OIDC_ALLOWED_DOMAINS", oidcDomains.default([])),
  llmProvider: setting("SVC_LLM_PROVIDER", z.enum(LLM_PROVIDERS, "expected anthropic or openai").optional()),
  llmModel: setting("SVC_LLM_MODEL", z.string().min(1).max(100).optional()),
  llmApiKey: setting(
    "SVC_LLM_API_KEY",
    z
      .string()
      .regex(/^[!-~]+$/, "expected a key without spaces")
      .optional(),
  ),
  llmBaseUrl: setting(
    "SVC_LLM_BASE_URL",
    z.url({ protocol: /^https?$/, error: "expected an http:// or https:// URL" }).optional(),
  ),
  llmTimeoutMs: setting(
    "SVC_LLM_TIMEOUT_MS",
    positiveInteger.max(60_000, "largest is 60000").default(10_000),
  ),
  llmTokensPerMonthMax: setting("SVC_LLM_TOKENS_PER_MONTH_MAX", positiveInteger.optional()),
  logLevel: setting(
    "LOG_LEVEL",
    z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
  ),
};

type Settings = { [Field in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[Field]["schema"]> };

/** Settings of the caps on what a team stores, by the fields of `Config.caps`. */
const CAP_SETTINGS: Record<string, Setting<z.ZodType>> = Object.fromEntries(
  Object.entries(TEAM_CAPS).map(([name, { variable, defaultMax }]) => [
    name,
    setting(variable, positiveInteger.default(defaultMax)),
  ]),
);

/** The settings of a process. */
export interface Config
  extends Omit<Settings, "runnerHost" | "egressPrivate" | keyof LlmVariables | keyof S3Variables> {
  /** Address that the runners' listener binds to; the one of HTTP without `SVC_RUNNER_HOST`. */
  runnerHost: string;
  /** Base of links in what people receive, without a trailing slash; undefined: see `Services.publicUrl`. */
  publicUrl: string | undefined;
  /** Policy for connections to private, loopback and link-local addresses. */
  egressPrivate: "allow" | "deny";
  /** True when they may although nobody said so: the default of a start for one machine. */
  isEgressPrivateByDefault: boolean;
  /** The language model; undefined: there is none. */
  languageModel: LanguageModelSettings | undefined;
  /** The bucket that status pages are exported to; undefined: none. */
  statusExportS3: S3Settings | undefined;
  /** Former names of variables that are set, each with the present one. */
  formerNames: { former: string; present: string }[];
  /** The most that a team may store, by kind. */
  caps: TeamCaps;
  /** Which of the service's own signals leave over OTLP: the standard `OTEL_*` variables. */
  otel: OtelSettings;
}

/** A setting can't be used; the message is the one line to print. */
export class ConfigError extends Error {}

/** Options of a configuration that depend on the program that is started. */
export interface ConfigOptions {
  /**
   * True for a service of one person on one machine (`npm start`): it runs an agent, and may reach private addresses unless
   * `SVC_EGRESS_PRIVATE` says otherwise. Such a service listens on loopback only.
   */
  isLocal?: boolean;
}

/**
 * Parses the environment. Empty values count as unset; `<variable>_FILE` names a file that holds the value.
 * @throws ConfigError naming every bad variable
 */
export function parseConfig(
  given: Record<string, string | undefined>,
  { isLocal = false }: ConfigOptions = {},
): Config {
  const variables = [...Object.values(SETTINGS), ...Object.values(CAP_SETTINGS)].map(
    ({ variable }) => variable,
  );
  const { environment: read, problems } = readEnvironmentFiles(
    given,
    [...variables, ...Object.keys(FORMER_NAMES)],
    (path) => readFileSync(path, "utf8"),
  );
  const issues = [...problems];
  const { environment, formerNames } = withPresentNames(read);
  const settings = parseSettings(
    SETTINGS,
    isLocal ? { ...environment, ...localDefaults(environment) } : environment,
    issues,
  ) as Settings;
  const caps = parseSettings(CAP_SETTINGS, environment, issues) as TeamCaps;
  const otel = parseOtelSettings(given, OTEL_SIGNALS, issues);
  const {
    llmProvider,
    llmModel,
    llmApiKey,
    llmBaseUrl,
    llmTimeoutMs,
    llmTokensPerMonthMax,
    ...withoutModel
  } = settings;
  const languageModel = languageModelSettings({
    llmProvider,
    llmModel,
    llmApiKey,
    llmBaseUrl,
    llmTimeoutMs,
    llmTokensPerMonthMax,
  });
  if (languageModel && "problem" in languageModel) issues.push(languageModel.problem);
  if (issues.length > 0) throw new ConfigError(issues.map((issue) => withGivenNames(issue, read)).join("; "));
  assertConsistent(settings);
  const {
    statusExportS3Url,
    statusExportS3Region,
    statusExportS3AccessKeyId,
    statusExportS3SecretAccessKey,
    statusExportS3SessionToken,
    ...others
  } = withoutModel;
  const statusExportS3 = s3Settings(settings);
  if (statusExportS3 && "problem" in statusExportS3) throw new ConfigError(statusExportS3.problem);
  const isEgressPrivateByDefault = isLocal && settings.egressPrivate === undefined;
  const config: Config = {
    ...others,
    languageModel: languageModel as LanguageModelSettings | undefined,
    statusExportS3,
    formerNames,
    caps,
    otel,
    publicUrl: settings.publicUrl?.replace(/\/+$/, ""),
    runnerHost: settings.runnerHost ?? settings.host,
    egressPrivate: settings.egressPrivate ?? (isLocal ? "allow" : "deny"),
    isEgressPrivateByDefault,
  };
  if (isEgressPrivateByDefault) assertOnLoopback(config);
  return config;
}

function localDefaults({ SVC_EMBEDDED_RUNNER }: Record<string, string | undefined>): Record<string, string> {
  return { SVC_EMBEDDED_RUNNER: SVC_EMBEDDED_RUNNER || "true" };
}

/**
 * Refuses a configuration that lets other machines reach both the service and, through its checks, this machine's
 * network, unless somebody decided so.
 */
function assertOnLoopback({ host, runnerHost }: Config): void {
  for (const [variable, given] of [
    ["SVC_HOST", host],
    ["SVC_RUNNER_HOST", runnerHost],
  ] as const)
    if (!isLoopbackHost(given.includes(":") ? `[${given}]` : given))
      throw new ConfigError(
        `${variable}: ${given} is not loopback, and a local start lets checks, webhooks and exports reach private addresses; set SVC_EGRESS_PRIVATE to deny, or to allow when whoever reaches this service may reach your network through it`,
      );
}

/** Returns the base of links as far as the settings tell it: `SVC_PUBLIC_URL`, or the address that HTTP is to listen on. */
export function configuredPublicUrl(config: Config): string {
  return config.publicUrl ?? reachableUrl(config.host, config.httpPort);
}

function assertConsistent(settings: Settings): void {
  if (settings.databaseUrl && !settings.secretKey)
    throw new ConfigError(
      "SVC_SECRET_KEY: required when DATABASE_URL is set, so that every replica encrypts alike; make one with: openssl rand -hex 32",
    );
  if (settings.databaseReadUrl && !settings.databaseUrl)
    throw new ConfigError(
      "DATABASE_READ_URL: names copies of the database of DATABASE_URL, which is not set",
    );
  assertBothOrNeither(settings, "runnerTlsCertFile", "runnerTlsKeyFile");
  assertBothOrNeither(settings, "smtpUrl", "smtpFrom");
  const oidc = [settings.oidcIssuer, settings.oidcClientId, settings.oidcClientSecret];
  if (oidc.some(Boolean) && !oidc.every(Boolean))
    throw new ConfigError(
      "SVC_OIDC_ISSUER, SVC_OIDC_CLIENT_ID and SVC_OIDC_CLIENT_SECRET: set all three or none",
    );
}

function assertBothOrNeither(settings: Settings, one: keyof Settings, other: keyof Settings): void {
  if (Boolean(settings[one]) !== Boolean(settings[other]))
    throw new ConfigError(`${SETTINGS[one].variable} and ${SETTINGS[other].variable}: set both or neither`);
}
