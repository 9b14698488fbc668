/** Loads the input of an analysis. */
import {
  type Coverage,
  checkTypes,
  credentialMasker,
  DAY_MS,
  groupBy,
  type LocationId,
  type MissingReason,
  type Result,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { readTlsObservations } from "../../alerting/inputs/result-store.ts";
import { type CheckModel, configFromRow } from "../../checks/row.ts";
import { currentLocationKeys } from "../../checks/store.ts";
import { hostOf } from "../../checks/target-host.ts";
import type { Services } from "../../platform/services.ts";
import { readCoverage } from "../../results/coverage/read-coverage.ts";
import { readResultsPage } from "../../results/read-results.ts";
import { deploymentsBetween } from "../../telemetry/deployment-markers/store.ts";
import type { FailureEvidence } from "../failures/failure.ts";
import type { AnalysisInput, LocationSamples, MissingSlots } from "./input.ts";
import { readEvidence } from "./read-evidence.ts";
import { sampleOf } from "./sample.ts";

const RESULTS_MAX = 400;
/** Shortest credential that is hidden: shorter ones are words, whose replacement would garble texts and hide nothing. */
const HIDDEN_LENGTH_MIN = 4;
const DEPLOYMENT_LOOK_BACK_MS = 7 * DAY_MS;

/** The evidence of one check, with the slot up to which it goes. */
export interface LoadedInput {
  input: AnalysisInput;
  /** Slot of the newest result; undefined when there is none. */
  newestSlotMs: number | undefined;
  /** Hides the check's credentials in a text. */
  mask: (text: string) => string;
}

/** Loads the input of an analysis of a check. The caller has made sure that the check is the team's. */
export async function loadAnalysisInput(services: Services, check: CheckModel): Promise<LoadedInput> {
  const { knex, clock, secrets } = services;
  const nowMs = clock.nowMs();
  const config = configFromRow(secrets, check);
  const { hideAll: mask } = credentialMasker(check.type, config, HIDDEN_LENGTH_MIN);
  const results = await readResultsPage(services, check, {
    limit: RESULTS_MAX,
    offset: 0,
    withDetail: false,
  });
  const coverage = await readCoverage(services, check, "6h");
  const target = config[checkTypes.get(check.type).targetField ?? ""];
  return {
    mask,
    newestSlotMs: results[0] && Date.parse(results[0].slotAt),
    input: {
      nowMs,
      check: {
        name: mask(check.name),
        host: hostOf(typeof target === "string" ? target : null),
        isEnabled: check.enabled && !check.paused,
        frequencySeconds: check.frequencySeconds,
      },
      locations: samplesByLocation(check.locationIds, results, {
        mask,
        evidence: await readEvidence(services, check, results),
      }),
      deployments: await readDeployments(knex, check.teamId, nowMs),
      missing: coverage.locations.flatMap(missingOf),
      certificate: await readCertificate(knex, check.key),
    },
  };
}

function samplesByLocation(
  locationIds: readonly string[],
  results: readonly Result[],
  { mask, evidence }: { mask: LoadedInput["mask"]; evidence: ReadonlyMap<string, FailureEvidence> },
): LocationSamples[] {
  const byLocation = groupBy<Result, string>(results, ({ locationId }) => locationId);
  return locationIds.map((locationId) => ({
    locationId: locationId as LocationId,
    samples: (byLocation.get(locationId) ?? []).map((result) =>
      sampleOf(result, mask, evidence.get(result.id)),
    ),
  }));
}

async function readDeployments(
  db: Knex,
  teamId: TeamId,
  nowMs: number,
): Promise<AnalysisInput["deployments"]> {
  const deployments = await deploymentsBetween(db, teamId, {
    fromMs: nowMs - DEPLOYMENT_LOOK_BACK_MS,
    toMs: nowMs,
  });
  return deployments.map(({ service, version, createdAt }) => ({
    service,
    version,
    atMs: Date.parse(createdAt),
  }));
}

function missingOf({
  locationId,
  expected,
  missing,
  missingCount,
}: Coverage["locations"][number]): MissingSlots[] {
  if (missingCount === 0) return [];
  const reasons: Partial<Record<MissingReason, number>> = {};
  for (const { reason } of missing) reasons[reason] = (reasons[reason] ?? 0) + 1;
  return [{ locationId: locationId as LocationId, expected, reasons }];
}

async function readCertificate(db: Knex, checkKey: number): Promise<AnalysisInput["certificate"]> {
  const locationKeys = await currentLocationKeys(db, checkKey);
  const observed = await readTlsObservations(
    db,
    locationKeys.map((locationKey) => ({ checkKey, locationKey, limit: 1, fromMs: 0 })),
  );
  const [newest] = observed.toSorted((a, b) => b.firstSlotMs - a.firstSlotMs);
  if (!newest) return undefined;
  const { validTo, isTrusted, trustError } = newest.facts;
  return { validToMs: Date.parse(validTo), isTrusted, trustError: trustError ?? null };
}
