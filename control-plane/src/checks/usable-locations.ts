import { DomainError } from "@svc/contract";
import type { LocationModel } from "./locations/row.ts";

/**
 * Returns the locations that a check names, in its order. A deprecated or retired location may only be named by a check that has
 * it already.
 * @param ids ids as the caller wrote them
 * @param known the locations among them that the team can see
 * @param alreadyUsed ids that the check has now
 * @throws DomainError `invalid`, naming under `locations` every id that can't be used
 */
export function usableLocations(
  ids: readonly string[],
  known: readonly LocationModel[],
  alreadyUsed: readonly string[] = [],
): LocationModel[] {
  const byId = new Map<string, LocationModel>(known.map((row) => [row.id, row]));
  const usable: LocationModel[] = [];
  const messages: string[] = [];
  for (const [i, id] of ids.entries()) {
    const row = byId.get(id);
    const problem = row
      ? retirement(row, alreadyUsed)
      : `"${id}" is not a location; GET /api/locations lists them`;
    if (problem) messages.push(`locations[${i}]: ${problem}`);
    else if (row) usable.push(row);
  }
  if (messages.length > 0)
    throw new DomainError("invalid", "Validation failed", {
      details: { fieldErrors: { locations: messages }, formErrors: [] },
    });
  return usable;
}

function retirement(row: LocationModel, alreadyUsed: readonly string[]): string | undefined {
  if (row.status === "active" || alreadyUsed.includes(row.id)) return undefined;
  return row.replacedBy
    ? `"${row.id}" is ${row.status}; use "${row.replacedBy}"`
    : `"${row.id}" is ${row.status}; GET /api/locations lists others`;
}
