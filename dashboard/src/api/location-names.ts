/** The names of locations, for pages whose records name them by id. */
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { locationsQuery } from "../api/queries/locations.ts";

/** Returns the display names of locations, by id. */
export function useLocationNames(): ReadonlyMap<string, string> {
  const locations = useQuery(locationsQuery).data?.locations;
  return useMemo(
    () => new Map((locations ?? []).map(({ id, displayName }) => [id, displayName])),
    [locations],
  );
}
