import type { CheckId, LocationId, RunId } from "@svc/contract";
import { ATTR } from "../records/attributes.ts";
import { defineDerivedEvent } from "./define-derived-event.ts";

type Values = {
  runId: RunId;
  locationId: LocationId;
  locationName: string;
  checkStatus: string;
  dependency: string;
  checkIds: CheckId[];
  checkNames: string[];
  checkCount: number;
  windowSeconds: number;
};

/** Records that several browser checks failed on one dependency within the window of a correlation. */
export const correlationDetected = defineDerivedEvent<Values>({
  type: "synthetics.correlation.detected",
  attributes: {
    runId: ATTR.runId,
    locationId: ATTR.locationId,
    locationName: ATTR.locationName,
    checkStatus: ATTR.checkStatus,
    dependency: ATTR.correlationDependency,
    checkIds: ATTR.correlationCheckIds,
    checkNames: ATTR.correlationCheckNames,
    checkCount: ATTR.correlationCheckCount,
    windowSeconds: ATTR.correlationWindowSeconds,
  },
  summary: ({ checkCount, dependency }) => `${checkCount} browser checks fail on ${dependency}`,
});
