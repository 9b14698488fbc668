/** Registers the routes of the capacity of locations. */
import { capacityRoutes } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { contextOf, serve } from "../../platform/http/serve.ts";
import type { Services } from "../../platform/services.ts";
import type { Capacities } from "./capacities.ts";
import { getCapacity } from "./get-capacity.ts";
import { getLocationCapacity } from "./get-location-capacity.ts";
import { previewCapacity } from "./preview-capacity.ts";

/** Registers the routes. */
export function registerCapacityRoutes(app: ApiApp, services: Services, capacities: Capacities): void {
  serve(app, capacityRoutes.get, async (request) =>
    getCapacity(contextOf(services, request), { capacities }),
  );
  serve(app, capacityRoutes.getOfLocation, async (request) =>
    getLocationCapacity(contextOf(services, request), { id: request.params.id, capacities }),
  );
  serve(app, capacityRoutes.preview, async (request) =>
    previewCapacity(contextOf(services, request), { changes: request.body.changes, capacities }),
  );
}
