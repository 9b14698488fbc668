/** The migrations, oldest first. Forward only; to change the schema, add a file and a line. */
import type { Knex } from "knex";
import * as foundation from "./0001-foundation.ts";
import * as fleet from "./0002-fleet.ts";
import * as apiSpecs from "./0003-api-specs.ts";
import * as channels from "./0004-channels.ts";
import * as alerting from "./0005-alerting.ts";
import * as manualRunsBySlot from "./0006-manual-runs-by-slot.ts";
import * as derivedEvents from "./0007-derived-events.ts";
import * as slosAndDeployments from "./0008-slos-and-deployments.ts";
import * as incidents from "./0009-incidents.ts";
import * as telemetry from "./0010-telemetry.ts";
import * as mcpBaselines from "./0011-mcp-baselines.ts";
import * as artifacts from "./0012-artifacts.ts";
import * as deployBaselines from "./0013-deploy-baselines.ts";
import * as alertRetention from "./0014-alert-retention.ts";
import * as deviceCodes from "./0015-device-codes.ts";
import * as analyses from "./0016-analyses.ts";
import * as incidentFolding from "./0017-incident-folding.ts";
import * as alertEventsByKind from "./0018-alert-events-by-kind.ts";
import * as teamUsage from "./0019-team-usage.ts";
import * as deviceCodeRequesters from "./0020-device-code-requesters.ts";
import * as runnersByKey from "./0021-runners-by-key.ts";
import * as historyRetention from "./0022-history-retention.ts";
import * as queuedFirstRuns from "./0023-queued-first-runs.ts";
import * as sealedConfigurations from "./0024-sealed-configurations.ts";
import * as people from "./0025-people.ts";
import * as teamSecrets from "./0026-team-secrets.ts";
import * as changeLogBytes from "./0027-change-log-bytes.ts";
import * as auditLog from "./0028-audit-log.ts";
import * as thirdPartyPatterns from "./0029-third-party-patterns.ts";
import * as deletedChecks from "./0030-deleted-checks.ts";
import * as locationsHealthAndStatus from "./0031-locations-health-and-status.ts";
import * as formerActors from "./0032-former-actors.ts";
import * as teamDeletions from "./0033-team-deletions.ts";
import * as sealedEndpoints from "./0034-sealed-telemetry-endpoints.ts";
import * as olderChangesBytes from "./0035-older-changes-bytes.ts";
import * as rollupDistributions from "./0036-rollup-distributions.ts";
import * as notificationsBySubject from "./0037-notifications-by-subject.ts";
import * as certificatesByExpiry from "./0038-certificates-by-expiry.ts";
import * as changesByRecord from "./0039-changes-by-record.ts";
import * as testRuns from "./0040-test-runs.ts";
import * as deployPlans from "./0041-deploy-plans.ts";
import * as alertPolicies from "./0042-alert-policies.ts";
import * as displayLinks from "./0043-display-links.ts";
import * as mergedResults from "./0044-merged-results.ts";
import * as locationScaling from "./0048-location-scaling.ts";
import * as tracedDispatches from "./0049-traced-dispatches.ts";
import * as generatedScripts from "./0050-generated-scripts.ts";
import * as breaksAndOutages from "./0058-breaks-and-outages.ts";
import * as knownBreaks from "./0059-known-breaks.ts";
import * as channelsAsActors from "./0062-channels-as-actors.ts";
import * as limitedTestRuns from "./0065-limited-test-runs.ts";
import * as pushedChecks from "./0067-pushed-checks.ts";
import * as checksByPushToken from "./0068-checks-by-push-token.ts";
import * as heldNotifications from "./0069-held-notifications.ts";
import * as incidentPolicies from "./0070-incident-policies.ts";
import * as hypothesisWordings from "./0072-hypothesis-wordings.ts";
import * as statusPages from "./0073-status-pages.ts";
import * as dependencies from "./0076-dependencies.ts";
import * as rotas from "./0078-rotas.ts";
import * as reports from "./0079-reports.ts";
import * as statusSubscribers from "./0080-status-subscribers.ts";
import * as locationOutages from "./0081-location-outages.ts";
import * as reportReasons from "./0082-report-reasons.ts";
import * as outageEvidence from "./0084-outage-evidence.ts";
import * as unreachedAddresses from "./0085-unreached-addresses.ts";
import * as partsOfDays from "./0086-parts-of-days.ts";
import * as lateHoursBefore from "./0087-late-hours-before.ts";
import * as lateHoursOfEarlyRuns from "./0088-late-hours-of-early-runs.ts";
import * as checksByPeriod from "./0089-checks-by-period.ts";
import * as traceIdsOfRuns from "./0091-trace-ids-of-runs.ts";

interface Migration {
  name: string;
  up(knex: Knex): Promise<void>;
  /** False in `transaction`: it can't run in one, such as CREATE INDEX CONCURRENTLY, and bears being run again after a failure. */
  config?: { transaction: boolean };
}

const MIGRATIONS: Migration[] = [
  { name: "0001-foundation", ...foundation },
  { name: "0002-fleet", ...fleet },
  { name: "0003-api-specs", ...apiSpecs },
  { name: "0004-channels", ...channels },
  { name: "0005-alerting", ...alerting },
  { name: "0006-manual-runs-by-slot", ...manualRunsBySlot },
  { name: "0007-derived-events", ...derivedEvents },
  { name: "0008-slos-and-deployments", ...slosAndDeployments },
  { name: "0009-incidents", ...incidents },
  { name: "0010-telemetry", ...telemetry },
  { name: "0011-mcp-baselines", ...mcpBaselines },
  { name: "0012-artifacts", ...artifacts },
  { name: "0013-deploy-baselines", ...deployBaselines },
  { name: "0014-alert-retention", ...alertRetention },
  { name: "0015-device-codes", ...deviceCodes },
  { name: "0016-analyses", ...analyses },
  { name: "0017-incident-folding", ...incidentFolding },
  { name: "0018-alert-events-by-kind", ...alertEventsByKind },
  { name: "0019-team-usage", ...teamUsage },
  { name: "0020-device-code-requesters", ...deviceCodeRequesters },
  { name: "0021-runners-by-key", ...runnersByKey },
  { name: "0022-history-retention", ...historyRetention },
  { name: "0023-queued-first-runs", ...queuedFirstRuns },
  { name: "0024-sealed-configurations", ...sealedConfigurations },
  { name: "0025-people", ...people },
  { name: "0026-team-secrets", ...teamSecrets },
  { name: "0027-change-log-bytes", ...changeLogBytes },
  { name: "0028-audit-log", ...auditLog },
  { name: "0029-third-party-patterns", ...thirdPartyPatterns },
  { name: "0030-deleted-checks", ...deletedChecks },
  { name: "0031-locations-health-and-status", ...locationsHealthAndStatus },
  { name: "0032-former-actors", ...formerActors },
  { name: "0033-team-deletions", ...teamDeletions },
  { name: "0034-sealed-telemetry-endpoints", ...sealedEndpoints },
  { name: "0035-older-changes-bytes", ...olderChangesBytes },
  { name: "0036-rollup-distributions", ...rollupDistributions },
  { name: "0037-notifications-by-subject", ...notificationsBySubject },
  { name: "0038-certificates-by-expiry", ...certificatesByExpiry },
  { name: "0039-changes-by-record", ...changesByRecord },
  { name: "0040-test-runs", ...testRuns },
  { name: "0041-deploy-plans", ...deployPlans },
  { name: "0042-alert-policies", ...alertPolicies },
  { name: "0043-display-links", ...displayLinks },
  { name: "0044-merged-results", ...mergedResults },
  { name: "0048-location-scaling", ...locationScaling },
  { name: "0049-traced-dispatches", ...tracedDispatches },
  { name: "0050-generated-scripts", ...generatedScripts },
  { name: "0058-breaks-and-outages", ...breaksAndOutages },
  { name: "0059-known-breaks", ...knownBreaks },
  { name: "0062-channels-as-actors", ...channelsAsActors },
  { name: "0065-limited-test-runs", ...limitedTestRuns },
  { name: "0067-pushed-checks", ...pushedChecks },
  { name: "0068-checks-by-push-token", ...checksByPushToken },
  { name: "0069-held-notifications", ...heldNotifications },
  { name: "0070-incident-policies", ...incidentPolicies },
  { name: "0072-hypothesis-wordings", ...hypothesisWordings },
  { name: "0073-status-pages", ...statusPages },
  { name: "0076-dependencies", ...dependencies },
  { name: "0078-rotas", ...rotas },
  { name: "0079-reports", ...reports },
  { name: "0080-status-subscribers", ...statusSubscribers },
  { name: "0081-location-outages", ...locationOutages },
  { name: "0082-report-reasons", ...reportReasons },
  { name: "0084-outage-evidence", ...outageEvidence },
  { name: "0085-unreached-addresses", ...unreachedAddresses },
  { name: "0086-parts-of-days", ...partsOfDays },
  { name: "0087-late-hours-before", ...lateHoursBefore },
  { name: "0088-late-hours-of-early-runs", ...lateHoursOfEarlyRuns },
  { name: "0089-checks-by-period", ...checksByPeriod },
  { name: "0091-trace-ids-of-runs", ...traceIdsOfRuns },
];

/** Source of the migrations for knex: static imports survive bundling, and the names carry no file extension. */
export const migrationSource: Knex.MigrationSource<Migration> = {
  getMigrations: async () => MIGRATIONS,
  getMigrationName: (migration) => migration.name,
  getMigration: async (migration) => ({
    up: (knex) => migration.up(knex),
    config: migration.config,
    down: async () => {
      throw new Error("Migrations are forward-only; restore a backup instead");
    },
  }),
};

/** Returns the names of all migrations, oldest first. */
export function allMigrations(): string[] {
  return MIGRATIONS.map(({ name }) => name);
}

/** Name of the newest migration; /readyz looks for it in the database. */
export const NEWEST_MIGRATION = MIGRATIONS.at(-1)?.name ?? "";
