/**
 * The commands: the words typed, a sentence for the lists of commands, and the file, which is loaded when it is typed.
 * To add a command: its file under commands/ and one line here; `npm run docs` writes its row in docs/cli.md.
 */
import type { Command } from "../runtime/command.ts";
import type { OutlinedCommand } from "../runtime/command-outline.ts";

/** A command before its file is loaded. */
export interface CommandEntry extends OutlinedCommand {
  load(): Promise<{ command: Command }>;
}

const entry = (path: string, summary: string, load: CommandEntry["load"]): CommandEntry => ({
  path,
  summary,
  load,
});

/** All commands, in alphabetical order of their words. */
export const COMMANDS: readonly CommandEntry[] = [
  entry("alerts ack", "acknowledge an active alert", () => import("../commands/alerts/ack.ts")),
  entry(
    "alerts explain",
    "tell how near an alert rule is to firing",
    () => import("../commands/alerts/explain.ts"),
  ),
  entry("alerts get", "show an alert and its history", () => import("../commands/alerts/get.ts")),
  entry("alerts list", "list the alerts that are not over", () => import("../commands/alerts/list.ts")),
  entry("alerts mute", "keep an alert from notifying", () => import("../commands/alerts/mute.ts")),
  entry(
    "alerts policies create",
    "create a rule for many monitors",
    () => import("../commands/alerts/policies/create.ts"),
  ),
  entry(
    "alerts policies delete",
    "delete an alert policy",
    () => import("../commands/alerts/policies/delete.ts"),
  ),
  entry(
    "alerts policies edit",
    "change an alert policy",
    () => import("../commands/alerts/policies/edit.ts"),
  ),
  entry("alerts policies get", "show an alert policy", () => import("../commands/alerts/policies/get.ts")),
  entry(
    "alerts policies list",
    "list the alert policies",
    () => import("../commands/alerts/policies/list.ts"),
  ),
  entry("alerts resolve", "resolve an alert", () => import("../commands/alerts/resolve.ts")),
  entry(
    "alerts rules create",
    "create an alert rule of a monitor",
    () => import("../commands/alerts/rules/create.ts"),
  ),
  entry("alerts rules delete", "delete an alert rule", () => import("../commands/alerts/rules/delete.ts")),
  entry(
    "alerts rules disable",
    "keep an alert rule from firing",
    () => import("../commands/alerts/rules/disable.ts"),
  ),
  entry("alerts rules edit", "change an alert rule", () => import("../commands/alerts/rules/edit.ts")),
  entry(
    "alerts rules enable",
    "let an alert rule fire again",
    () => import("../commands/alerts/rules/enable.ts"),
  ),
  entry("alerts rules get", "show an alert rule", () => import("../commands/alerts/rules/get.ts")),
  entry("alerts rules list", "list the alert rules", () => import("../commands/alerts/rules/list.ts")),
  entry("alerts unmute", "let a muted alert notify again", () => import("../commands/alerts/unmute.ts")),
  entry("api", "send one request to the REST API", () => import("../commands/api.ts")),
  entry("audit", "list sign-ins, keys and reads of secrets", () => import("../commands/audit.ts")),
  entry("channels create", "create a notification channel", () => import("../commands/channels/create.ts")),
  entry("channels delete", "delete a notification channel", () => import("../commands/channels/delete.ts")),
  entry(
    "channels deliveries",
    "list the attempts to deliver to a channel",
    () => import("../commands/channels/deliveries.ts"),
  ),
  entry("channels edit", "change a notification channel", () => import("../commands/channels/edit.ts")),
  entry("channels get", "show a notification channel", () => import("../commands/channels/get.ts")),
  entry("channels list", "list the notification channels", () => import("../commands/channels/list.ts")),
  entry(
    "channels redeliver",
    "make one more attempt at a notification",
    () => import("../commands/channels/redeliver.ts"),
  ),
  entry("channels test", "send a test notification", () => import("../commands/channels/test.ts")),
  entry("complete", "", () => import("../commands/complete.ts")),
  entry(
    "completions",
    "print a script that completes svc in your shell",
    () => import("../commands/completions.ts"),
  ),
  entry("dashboard", "show how the monitors stand, full-screen", () => import("../commands/dashboard.ts")),
  entry(
    "dashboards install",
    "install prebuilt dashboards into an observability backend",
    () => import("../commands/dashboards/install.ts"),
  ),
  entry("deploy", "make the service what the config says", () => import("../commands/deploy.ts")),
  entry("diff", "show what a deploy would change", () => import("../commands/diff.ts")),
  entry(
    "generate",
    "have a part of a config written from a description",
    () => import("../commands/generate.ts"),
  ),
  entry("import", "write a config of what another tool watches", () => import("../commands/import.ts")),
  entry("incidents get", "show an incident", () => import("../commands/incidents/get.ts")),
  entry("incidents list", "list the incidents", () => import("../commands/incidents/list.ts")),
  entry(
    "incidents policy get",
    "show the incident policy",
    () => import("../commands/incidents/policy/get.ts"),
  ),
  entry(
    "incidents policy set",
    "set the incident policy",
    () => import("../commands/incidents/policy/set.ts"),
  ),
  entry("init", "write a config to begin with", () => import("../commands/init.ts")),
  entry("keys", "tell where API keys are managed", () => import("../commands/keys.ts")),
  entry("locations create", "create a private location", () => import("../commands/locations/create.ts")),
  entry("locations delete", "delete a private location", () => import("../commands/locations/delete.ts")),
  entry(
    "locations install-command",
    "print the command that starts an agent",
    () => import("../commands/locations/install-command.ts"),
  ),
  entry("locations keys create", "create a runner key", () => import("../commands/locations/keys/create.ts")),
  entry("locations keys delete", "revoke a runner key", () => import("../commands/locations/keys/delete.ts")),
  entry(
    "locations keys list",
    "list the runner keys of a location",
    () => import("../commands/locations/keys/list.ts"),
  ),
  entry("locations list", "list the locations", () => import("../commands/locations/list.ts")),
  entry(
    "locations runners",
    "list the agents of a location",
    () => import("../commands/locations/runners.ts"),
  ),
  entry("locations update", "change a private location", () => import("../commands/locations/update.ts")),
  entry("log", "list changes of the configuration", () => import("../commands/log.ts")),
  entry("login", "sign in with the browser", () => import("../commands/login.ts")),
  entry("logout", "forget the stored key", () => import("../commands/logout.ts")),
  entry(
    "maintenance create",
    "create a maintenance window",
    () => import("../commands/maintenance/create.ts"),
  ),
  entry(
    "maintenance delete",
    "delete a maintenance window",
    () => import("../commands/maintenance/delete.ts"),
  ),
  entry("maintenance edit", "change a maintenance window", () => import("../commands/maintenance/edit.ts")),
  entry("maintenance get", "show a maintenance window", () => import("../commands/maintenance/get.ts")),
  entry("maintenance list", "list the maintenance windows", () => import("../commands/maintenance/list.ts")),
  entry(
    "monitors analyze",
    "find out what is going on with a monitor",
    () => import("../commands/monitors/analyze.ts"),
  ),
  entry("mcp", "offer the MCP server to a program on this machine", () => import("../commands/mcp.ts")),
  entry("monitors create", "create an http monitor", () => import("../commands/monitors/create.ts")),
  entry("monitors delete", "delete a monitor", () => import("../commands/monitors/delete.ts")),
  entry(
    "monitors generate",
    "have a script written from a description, and tried",
    () => import("../commands/monitors/generate.ts"),
  ),
  entry(
    "monitors edit",
    "change a monitor's name, frequency, locations or dependencies",
    () => import("../commands/monitors/edit.ts"),
  ),
  entry("monitors get", "show a monitor and its newest results", () => import("../commands/monitors/get.ts")),
  entry("monitors list", "list the monitors", () => import("../commands/monitors/list.ts")),
  entry("monitors pause", "stop running a monitor", () => import("../commands/monitors/pause.ts")),
  entry("monitors resume", "run a paused monitor again", () => import("../commands/monitors/resume.ts")),
  entry("pull", "write a config of what the service has", () => import("../commands/pull.ts")),
  entry("results get", "show a result in full", () => import("../commands/results/get.ts")),
  entry("results list", "list a monitor's results", () => import("../commands/results/list.ts")),
  entry("results tail", "follow a monitor's new results", () => import("../commands/results/tail.ts")),
  entry("rotas create", "create a rota", () => import("../commands/rotas/create.ts")),
  entry("rotas delete", "delete a rota", () => import("../commands/rotas/delete.ts")),
  entry("rotas edit", "change a rota", () => import("../commands/rotas/edit.ts")),
  entry("rotas get", "show a rota", () => import("../commands/rotas/get.ts")),
  entry("rotas list", "list the rotas", () => import("../commands/rotas/list.ts")),
  entry("rotas override", "let a member of a rota take over", () => import("../commands/rotas/override.ts")),
  entry(
    "rotas schedule",
    "tell who is on duty in the days ahead",
    () => import("../commands/rotas/schedule.ts"),
  ),
  entry("schema", "print the JSON Schema of a command's output", () => import("../commands/schema.ts")),
  entry("secrets delete", "delete a secret", () => import("../commands/secrets/delete.ts")),
  entry("secrets list", "list the secrets", () => import("../commands/secrets/list.ts")),
  entry("secrets set", "store a secret from stdin", () => import("../commands/secrets/set.ts")),
  entry("slos create", "create an SLO of a monitor", () => import("../commands/slos/create.ts")),
  entry("slos delete", "delete an SLO", () => import("../commands/slos/delete.ts")),
  entry("slos edit", "change an SLO", () => import("../commands/slos/edit.ts")),
  entry("slos get", "show how an SLO is defined", () => import("../commands/slos/get.ts")),
  entry("slos list", "list the SLOs", () => import("../commands/slos/list.ts")),
  entry("slos status", "show where an SLO stands", () => import("../commands/slos/status.ts")),
  entry("specs delete", "delete an API spec", () => import("../commands/specs/delete.ts")),
  entry("specs get", "show an API spec and its operations", () => import("../commands/specs/get.ts")),
  entry("specs list", "list the API specs", () => import("../commands/specs/list.ts")),
  entry("specs upload", "store an OpenAPI document", () => import("../commands/specs/upload.ts")),
  entry("status", "show how the monitors stand", () => import("../commands/status.ts")),
  entry("status-pages create", "create a status page", () => import("../commands/status-pages/create.ts")),
  entry(
    "status-pages delete",
    "delete a status page and its notices",
    () => import("../commands/status-pages/delete.ts"),
  ),
  entry("status-pages edit", "change a status page", () => import("../commands/status-pages/edit.ts")),
  entry(
    "status-pages get",
    "show a status page, and what it tells",
    () => import("../commands/status-pages/get.ts"),
  ),
  entry("status-pages list", "list the status pages", () => import("../commands/status-pages/list.ts")),
  entry(
    "status-pages notices create",
    "tell of an incident or of maintenance",
    () => import("../commands/status-pages/notices/create.ts"),
  ),
  entry(
    "status-pages notices delete",
    "delete a notice",
    () => import("../commands/status-pages/notices/delete.ts"),
  ),
  entry(
    "status-pages notices edit",
    "change the fields of a notice",
    () => import("../commands/status-pages/notices/edit.ts"),
  ),
  entry(
    "status-pages notices list",
    "list the notices of a status page",
    () => import("../commands/status-pages/notices/list.ts"),
  ),
  entry(
    "status-pages notices update",
    "add an update to a notice",
    () => import("../commands/status-pages/notices/update.ts"),
  ),
  entry(
    "status-pages subscribers add",
    "have updates of notices posted to a URL",
    () => import("../commands/status-pages/subscribers/add.ts"),
  ),
  entry(
    "status-pages subscribers delete",
    "remove a subscriber",
    () => import("../commands/status-pages/subscribers/delete.ts"),
  ),
  entry(
    "status-pages subscribers list",
    "list who subscribes to a status page",
    () => import("../commands/status-pages/subscribers/list.ts"),
  ),
  entry("test", "run the monitors from this machine", () => import("../commands/test.ts")),
  entry(
    "validate",
    "check the config without contacting the service",
    () => import("../commands/validate.ts"),
  ),
];

/** First words of the commands by the topic under which `svc --help` lists them. */
export const TOPICS: Readonly<Record<string, readonly string[]>> = {
  "Monitors as code": ["init", "validate", "test", "diff", "deploy", "pull", "import", "generate"],
  "See how things stand": ["status", "dashboard", "results", "alerts", "incidents", "log", "audit"],
  "Monitors and targets": ["monitors", "slos", "maintenance", "status-pages", "specs", "secrets"],
  "Whom to tell": ["channels", "rotas"],
  Locations: ["locations"],
  "Account and tools": ["login", "logout", "keys", "api", "mcp", "dashboards", "schema", "completions"],
};

/** Subjects of the families of commands, for the lists. */
export const GROUPS: Readonly<Record<string, string>> = {
  alerts: "what fired, and the rules it follows",
  "alerts policies": "rules for all monitors that have certain labels",
  "alerts rules": "when monitors alert, and whom they tell",
  channels: "where people are notified",
  incidents: "alerts that belong together",
  "incidents policy": "the steps that follow when nobody acknowledges an incident",
  locations: "where monitors run from",
  "locations keys": "keys of the agents of a private location",
  maintenance: "when monitors are paused or silent",
  dashboards: "prebuilt dashboards for observability backends",
  monitors: "what is watched",
  results: "what the monitors measured",
  rotas: "who is on duty, in turn",
  secrets: "values that monitors use as {{vault.NAME}}",
  slos: "targets and error budgets",
  "status-pages": "public pages of how monitors stand",
  "status-pages notices": "incidents and maintenance in people's words",
  "status-pages subscribers": "who has the notices of a status page sent",
  specs: "OpenAPI documents that responses are held against",
};
