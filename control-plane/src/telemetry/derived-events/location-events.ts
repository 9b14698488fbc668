/** Definitions of the events of locations. */
import type { Location, LocationId } from "@svc/contract";
import { ATTR } from "../records/attributes.ts";
import { defineDerivedEvent } from "./define-derived-event.ts";

type HealthValues = {
  id: LocationId;
  name: string;
  health: Location["health"];
  previousHealth: Location["health"];
};

/** Records that the health of a private location changed. */
export const locationHealthChanged = defineDerivedEvent<HealthValues>({
  type: "synthetics.location.health_changed",
  attributes: {
    id: ATTR.locationId,
    name: ATTR.locationName,
    health: ATTR.locationHealth,
    previousHealth: ATTR.locationPreviousHealth,
  },
  summary: ({ name, health, previousHealth }) => `${name} is ${health}, it was ${previousHealth}`,
});

type StatusValues = {
  id: LocationId;
  name: string;
  status: Location["status"];
  previousStatus: Location["status"];
  replacedBy: LocationId | null;
};

/** Records for a team with checks at a hosted location that the operator changed the location's status. */
export const locationStatusChanged = defineDerivedEvent<StatusValues>({
  type: "synthetics.location.status_changed",
  attributes: {
    id: ATTR.locationId,
    name: ATTR.locationName,
    status: ATTR.locationStatus,
    previousStatus: ATTR.locationPreviousStatus,
    replacedBy: ATTR.locationReplacedBy,
  },
  summary: ({ name, status, replacedBy }) =>
    `${name} is ${status}${status === "active" ? " again" : ""}${replacedBy ? `; use ${replacedBy}` : ""}`,
});
