import { type Check, checkTypes } from "@svc/contract";

/**
 * True when a config can describe the check. Browser checks of a single URL have no script, which a config's monitor
 * needs.
 */
export function isDescribable({ type, configJson }: Pick<Check, "type" | "configJson">): boolean {
  const constants = checkTypes.find(type)?.monitorConstants ?? {};
  return Object.entries(constants).every(([field, value]) => configJson[field] === value);
}
