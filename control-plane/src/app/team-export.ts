/** The lists of a team's export, with secrets masked. */
import { incidentEventSchema, incidentSchema, maskUrl, specSchema } from "@svc/contract";
import * as z from "zod";
import { listApiKeys } from "../accounts/api-keys/list-api-keys.ts";
import { listAuditEntries } from "../accounts/audit/list-audit-entries.ts";
import { listChanges } from "../accounts/change-log/list-changes.ts";
import { listDisplayLinks } from "../accounts/display-links/list-display-links.ts";
import { listInvitations } from "../accounts/people/invitations.ts";
import { listMembers } from "../accounts/people/members.ts";
import { listInstances } from "../alerting/instances/list-instances.ts";
import { listPolicies } from "../alerting/policies/list-policies.ts";
import { listRulesOfTeam } from "../alerting/rules/list-rules-of-team.ts";
import { listSlos } from "../alerting/slos/list-slos.ts";
import { listSpecs } from "../checks/api-specs/list-specs.ts";
import { specFromRow } from "../checks/api-specs/row.ts";
import { listChecks } from "../checks/list-checks.ts";
import { listLocations } from "../checks/locations/list-locations.ts";
import { listWindows } from "../checks/maintenance/list-windows.ts";
import { listSecrets } from "../checks/team-secrets/list-secrets.ts";
import { listChannels } from "../outbox/channels/list-channels.ts";
import { getReportSubscription } from "../overview/reports/get-subscription.ts";
import type { DocumentSection } from "../platform/http/document-answer.ts";
import type { ListSource } from "../platform/http/list-answer.ts";
import type { RecordList } from "../platform/http/record-list.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { getIncidentPolicy } from "../response/incident-policy/get-policy.ts";
import { readIncidentEvents } from "../response/incidents/event-store.ts";
import { listIncidents } from "../response/incidents/list-incidents.ts";
import { incidentFromRow } from "../response/incidents/row.ts";
import { listRotas } from "../response/rotas/list-rotas.ts";
import { listNoticesOfTeam } from "../status-pages/notices/list-notices.ts";
import { listPages } from "../status-pages/pages/list-pages.ts";
import { listSubscribersOfTeam } from "../status-pages/subscribers/list-subscribers.ts";
import { listDeployments } from "../telemetry/deployment-markers/list-deployments.ts";
import { getSettings } from "../telemetry/get-settings.ts";

/** Incidents read at once: each is read with its events. */
const INCIDENTS_AT_ONCE = 20;

/** Returns the lists of the team's export: people, configuration, and the records of alerts, incidents and changes. */
export function teamExportSections(ctx: TeamContext): DocumentSection[] {
  const all = {};
  return [
    { name: "members", source: wholeList(() => listMembers(ctx)) },
    { name: "invitations", source: wholeList(() => listInvitations(ctx)) },
    { name: "apiKeys", source: sourceOf(listApiKeys(ctx)) },
    { name: "displayLinks", source: wholeList(() => listDisplayLinks(ctx)) },
    { name: "secrets", source: wholeList(() => listSecrets(ctx)) },
    { name: "telemetry", source: wholeList(async () => [await getSettings(ctx)]) },
    { name: "locations", source: sourceOf(listLocations(ctx, { includeDeprecated: false })) },
    { name: "specs", source: specsOf(ctx) },
    { name: "checks", source: sourceOf(listChecks(ctx, { view: "full", secrets: "masked" })) },
    { name: "channels", source: sourceOf(listChannels(ctx, { isMasked: true })) },
    { name: "alertRules", source: listRulesOfTeam(ctx) },
    { name: "alertPolicies", source: listPolicies(ctx) },
    { name: "incidentPolicy", source: wholeList(async () => [await getIncidentPolicy(ctx)]) },
    { name: "rotas", source: listRotas(ctx) },
    { name: "reportSubscription", source: wholeList(async () => [await getReportSubscription(ctx)]) },
    { name: "slos", source: sourceOf(listSlos(ctx, all)) },
    { name: "maintenanceWindows", source: listWindows(ctx) },
    { name: "statusPages", source: listPages(ctx) },
    { name: "statusNotices", source: listNoticesOfTeam(ctx) },
    { name: "statusSubscribers", source: listSubscribersOfTeam(ctx) },
    { name: "alerts", source: sourceOf(listInstances(ctx, all)) },
    { name: "incidents", source: incidentsOf(ctx) },
    { name: "deployments", source: sourceOf(listDeployments(ctx, all)) },
    { name: "changes", source: sourceOf(listChanges(ctx, all)) },
    { name: "auditEntries", source: sourceOf(listAuditEntries(ctx, all)) },
  ];
}

function sourceOf<Row>({ read, isSized, textOf, cursorOf }: RecordList<Row>): ListSource<Row> {
  return {
    read: (after, rowsMax) => read({ after, rowsMax, offset: 0 }),
    isFull: !isSized,
    textOf,
    cursorOf,
  };
}

/** Returns the source of a list that a cap of the team keeps short. */
function wholeList<Row>(read: () => Promise<Row[]>): ListSource<Row> {
  return {
    read: async (after) => (after === undefined ? read() : []),
    textOf: (row) => JSON.stringify(row),
    cursorOf: () => [0],
  };
}

function specsOf(ctx: TeamContext): DocumentSection["source"] {
  const { secrets } = ctx.services;
  return sourceOf({
    ...listSpecs(ctx),
    textOf: (row) => {
      const spec = specFromRow(secrets, row);
      const sourceUrl = spec.sourceUrl === null ? null : maskUrl(spec.sourceUrl);
      return JSON.stringify(z.encode(specSchema, { ...spec, sourceUrl }));
    },
  });
}

function incidentsOf(ctx: TeamContext): DocumentSection["source"] {
  const { knex, publicUrl } = ctx.services;
  const list = listIncidents(ctx, {});
  return {
    read: async (after, rowsMax) => {
      const rows = await list.read({ after, rowsMax: Math.min(rowsMax, INCIDENTS_AT_ONCE), offset: 0 });
      const withEvents = [];
      for (const row of rows) withEvents.push({ row, events: await readIncidentEvents(knex, row) });
      return withEvents;
    },
    textOf: ({ row, events }) =>
      JSON.stringify({
        ...z.encode(incidentSchema, incidentFromRow(row, publicUrl())),
        events: z.encode(z.array(incidentEventSchema), events),
      }),
    cursorOf: ({ row }) => list.cursorOf(row),
  };
}
