/** The names of locations, for pages whose records name them by id. */
import { PUSH_LOCATION_ID } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { locationsQuery } from "../api/queries/locations.ts";

/** Returns the display names of locations, by id. */
export function useLocationNames(): ReadonlyMap<string, string> {
  const locations = useQuery(locationsQuery).data?.locations;
  return useMemo(
    () =>
      new Map([
        // Where the reports of jobs arrive is no location that a list has.
        [PUSH_LOCATION_ID, "Reports"],
        ...(locations ?? []).map(({ id, displayName }) => [id, displayName] as const),
      ]),
    [locations],
  );
}
