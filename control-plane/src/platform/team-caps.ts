/**
 * Catalogue of the caps on what a team may store: numbers of records, and bytes where records are large. Caps protect the
 * service and its other teams, whatever the plan of a team allows. The operator sets each by its variable. The table in
 * docs/operating.md is generated from here; `accounts/caps/` holds the caps.
 */

const MIB = 1024 ** 2;

/** A cap: the setting that changes it, its default, and the words by which an error and the documentation name it. */
export interface TeamCap {
  /** Environment variable of the operator's setting. */
  readonly variable: string;
  readonly defaultMax: number;
  /** Completes "A team stores at most <max> ..."; of a cap per owner, completes "... at most <max> ...". */
  readonly of: string;
  /** Kind of record in `team_usage` that is counted; absent when the writing verb counts. */
  readonly kind?: string;
  /** Unit of the cap; records unless given. */
  readonly unit?: "bytes";
}

/** Every cap of a team, by its field of `Config.caps`. */
export const TEAM_CAPS = {
  checks: { variable: "SVC_CAP_CHECKS", defaultMax: 100_000, of: "checks", kind: "checks" },
  checkBytes: {
    variable: "SVC_CAP_CHECK_BYTES",
    defaultMax: 64 * MIB,
    of: "bytes of check configurations",
    kind: "checks",
    unit: "bytes",
  },
  labels: { variable: "SVC_CAP_LABELS", defaultMax: 1_000_000, of: "labels of checks", kind: "labels" },
  alertRules: {
    variable: "SVC_CAP_ALERT_RULES",
    defaultMax: 200_000,
    of: "alert rules, those that SLOs and alert policies generate included",
    kind: "alert_rules",
  },
  alertRulesPerCheck: {
    variable: "SVC_CAP_ALERT_RULES_PER_CHECK",
    defaultMax: 100,
    of: "alert rules for one check, those that SLOs generate included",
  },
  alertPolicies: {
    variable: "SVC_CAP_ALERT_POLICIES",
    defaultMax: 100,
    of: "alert policies",
    kind: "alert_policies",
  },
  rotas: { variable: "SVC_CAP_ROTAS", defaultMax: 100, of: "rotas", kind: "rotas" },
  channels: {
    variable: "SVC_CAP_CHANNELS",
    defaultMax: 1_000,
    of: "notification channels",
    kind: "channels",
  },
  channelBytes: {
    variable: "SVC_CAP_CHANNEL_BYTES",
    defaultMax: 8 * MIB,
    of: "bytes of notification channels and their templates",
    kind: "channels",
    unit: "bytes",
  },
  thirdPartyPatterns: {
    variable: "SVC_CAP_THIRD_PARTY_PATTERNS",
    defaultMax: 100,
    of: "third-party patterns",
    kind: "third_party_patterns",
  },
  slos: { variable: "SVC_CAP_SLOS", defaultMax: 10_000, of: "SLOs", kind: "slos" },
  maintenanceWindows: {
    variable: "SVC_CAP_MAINTENANCE_WINDOWS",
    defaultMax: 1_000,
    of: "maintenance windows",
    kind: "maintenance_windows",
  },
  maintenanceWindowChecks: {
    variable: "SVC_CAP_MAINTENANCE_WINDOW_CHECKS",
    defaultMax: 1_000_000,
    of: "checks listed by maintenance windows, past lists included",
    kind: "maintenance_window_checks",
  },
  statusPages: {
    variable: "SVC_CAP_STATUS_PAGES",
    defaultMax: 50,
    of: "status pages",
    kind: "status_pages",
  },
  statusNotices: {
    variable: "SVC_CAP_STATUS_NOTICES",
    defaultMax: 10_000,
    of: "notices of status pages",
    kind: "status_notices",
  },
  statusSubscribersPerPage: {
    variable: "SVC_CAP_STATUS_SUBSCRIBERS_PER_PAGE",
    defaultMax: 10_000,
    of: "confirmed subscribers of one status page",
  },
  statusMailsPerHour: {
    variable: "SVC_CAP_STATUS_MAILS_PER_HOUR",
    defaultMax: 20_000,
    of: "mails about status pages sent in an hour by one replica",
  },
  locations: { variable: "SVC_CAP_LOCATIONS", defaultMax: 1_000, of: "private locations", kind: "locations" },
  apiKeys: { variable: "SVC_CAP_API_KEYS", defaultMax: 1_000, of: "API keys", kind: "api_keys" },
  specs: { variable: "SVC_CAP_SPECS", defaultMax: 1_000, of: "API specs", kind: "specs" },
  specBytes: {
    variable: "SVC_CAP_SPEC_BYTES",
    defaultMax: 256 * MIB,
    of: "bytes of API specs, compressed, and their operations",
    kind: "specs",
    unit: "bytes",
  },
  deployBaselines: {
    variable: "SVC_CAP_DEPLOY_BASELINES",
    defaultMax: 200,
    of: "deployed projects",
    kind: "deploy_baselines",
  },
  deployBaselineBytes: {
    variable: "SVC_CAP_DEPLOY_BASELINE_BYTES",
    defaultMax: 128 * MIB,
    of: "bytes of deploy baselines",
    kind: "deploy_baselines",
    unit: "bytes",
  },
  secrets: { variable: "SVC_CAP_SECRETS", defaultMax: 1_000, of: "secrets", kind: "secrets" },
  secretBytes: {
    variable: "SVC_CAP_SECRET_BYTES",
    defaultMax: 16 * MIB,
    of: "bytes of secrets",
    kind: "secrets",
    unit: "bytes",
  },
  deployments: {
    variable: "SVC_CAP_DEPLOYMENTS",
    defaultMax: 100_000,
    of: "deployment markers",
    kind: "deployments",
  },
  incidentNotes: {
    variable: "SVC_CAP_INCIDENT_NOTES",
    defaultMax: 100_000,
    of: "notes on incidents",
    kind: "incident_notes",
  },
  changeLogBytes: {
    variable: "SVC_CAP_CHANGE_LOG_BYTES",
    defaultMax: 256 * MIB,
    of: "bytes of the change log; beyond them its oldest entries go",
  },
  mailsPerHour: {
    variable: "SVC_CAP_MAILS_PER_HOUR",
    defaultMax: 1_000,
    of: "emails sent in an hour by one replica, one for each address",
  },
} as const satisfies Record<string, TeamCap>;

/** Name of a cap: its field of `Config.caps`. */
export type TeamCapName = keyof typeof TEAM_CAPS;

/** Every cap of a team with the operator's value. */
export type TeamCaps = Readonly<Record<TeamCapName, number>>;
