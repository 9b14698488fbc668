/** The words of a location's own incident. Pure. */
import { counted, type Hypothesis, type LocationId, oneLine, truncate } from "@svc/contract";

const CONFIDENCE = 0.9;
/** Longest name of a location in a title, characters. */
const NAME_LENGTH_MAX = 150;

/** Returns the title of the incident of a location with this name. */
export function titleOfLocation(name: string): string {
  return `Location ${truncate(oneLine(name), NAME_LENGTH_MAX)} can't reach its targets`;
}

/** Returns the cause of the incident, which began with this number of alerts. */
export function hypothesisOfLocation(
  { locationId, locationName }: { locationId: LocationId; locationName: string },
  alertCount: number,
): Hypothesis {
  return {
    summary: `${locationName} can't reach its targets: at least three unrelated ones don't answer there, and answer at other locations.`,
    confidence: CONFIDENCE,
    ruledIn: [`location: ${counted(alertCount, "alert")} from ${locationName} alone held back at the begin`],
    ruledOut: ["target: the targets answer at other locations"],
    correlationDimensionsMatched: [`location:${locationId}`],
    scope: "external_symptoms_only",
  };
}
