/** Client methods of incidents. */
import type { IncidentState } from "../../resources/incident.ts";
import type { IncidentPolicy, SetIncidentPolicy } from "../../resources/incident-policy.ts";
import type { incidentRoutes } from "../incidents.ts";
import type { CallRoute, Page } from "./rest-connection.ts";

type Routes = typeof incidentRoutes;

/** Returns the client methods of incidents. */
export const incidentMethods = (call: CallRoute) => ({
  /** Lists newest first. */
  listIncidents: (options: Page & { state?: readonly IncidentState[] } = {}) =>
    call<Routes["list"]>("GET", "/api/incidents", {
      query: { ...options, state: options.state?.join(",") },
    }),
  /** Gets the steps that follow when nobody acknowledges an incident. */
  async getIncidentPolicy(): Promise<IncidentPolicy> {
    return (await call<Routes["getPolicy"]>("GET", "/api/incident-policy")).incidentPolicy;
  },
  async setIncidentPolicy(policy: SetIncidentPolicy): Promise<IncidentPolicy> {
    return (await call<Routes["setPolicy"]>("PUT", "/api/incident-policy", { body: policy })).incidentPolicy;
  },
  /** Gets the incident with its events and alert instances. */
  getIncident: (id: string) => call<Routes["get"]>("GET", "/api/incidents/:id", { params: { id } }),
});
