import type { DeployBaseline, Location, MaintenanceWindow, ServiceMeta } from "@svc/contract";
import type { DescribedRecords } from "../records.ts";

/** The service's resources, as a plan compares them. */
export interface Remote extends DescribedRecords {
  windows: MaintenanceWindow[];
  locations: Location[];
  baselines: DeployBaseline[];
  /** The limits of the team; undefined when the service is of a version that does not tell them. */
  meta: ServiceMeta | undefined;
}
