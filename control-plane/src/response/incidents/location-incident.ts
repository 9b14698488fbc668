/** The words of the own incident of locations. Pure. */
import { counted, type Hypothesis, type LocationId, listed, oneLine, truncate } from "@svc/contract";

const CONFIDENCE = 0.9;
/** Locations that the words name; of more they say how many. */
const NAMED_MAX = 3;
/** Longest name in a title, characters: of the only location, and of each of several. */
const NAME_LENGTH_MAX = 150;
const NAME_OF_SEVERAL_LENGTH_MAX = 45;

/** The locations whose alerts the incident lists, of which the first is the one that it was opened for. */
export interface LocationsOfIncident {
  locationId: LocationId;
  /** At least one. */
  names: readonly string[];
}

/** Returns the title of the incident of the locations with these names. */
export function titleOfLocations(names: readonly string[]): string {
  if (names.length < 2) return `Location ${shortened(names, NAME_LENGTH_MAX)} can't reach its targets`;
  return `Locations ${shortened(names, NAME_OF_SEVERAL_LENGTH_MAX)} can't reach their targets`;
}

function shortened(names: readonly string[], lengthMax: number): string {
  return listed(
    names.map((name) => truncate(oneLine(name), lengthMax)),
    NAMED_MAX,
  );
}

/** Returns the cause of the incident, which began with this number of alerts. */
export function hypothesisOfLocations(
  { locationId, names }: LocationsOfIncident,
  alertCount: number,
): Hypothesis {
  return {
    summary: summaryOfLocations(names),
    confidence: CONFIDENCE,
    ruledIn: [
      `location: ${counted(alertCount, "alert")} from ${listed(names, NAMED_MAX)} alone held back at the begin`,
    ],
    ruledOut: ["target: the targets answer at other locations"],
    correlationDimensionsMatched: [`location:${locationId}`],
    scope: "external_symptoms_only",
  };
}

/** Returns the cause in a sentence. */
export function summaryOfLocations(names: readonly string[]): string {
  const whose = names.length < 2 ? "its" : "their";
  return `${listed(names, NAMED_MAX)} can't reach ${whose} targets: at least three unrelated ones don't answer there, and answer at other locations.`;
}
