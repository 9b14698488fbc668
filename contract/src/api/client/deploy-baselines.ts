/** Client methods of deploy baselines. */
import type { DeployBaseline, DeployedResource } from "../../config/deploy-baseline.ts";
import type { deployBaselineRoutes } from "../deploy-baselines.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof deployBaselineRoutes;

/** Returns the client methods of deploy baselines. */
export const deployBaselineMethods = (call: CallRoute) => ({
  /** Lists the resources that the command line deployed last, one entry per project. */
  listDeployBaselines: (): Promise<DeployBaseline[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", "/api/deploy-baselines", { query: page }),
      (answer) => answer.baselines,
    ),
  putDeployBaseline: (project: string, resources: readonly DeployedResource[]) =>
    call<Routes["put"]>("PUT", "/api/deploy-baselines/:project", {
      params: { project },
      body: { resources: [...resources] },
    }),
  deleteDeployBaseline: (project: string) =>
    call<Routes["delete"]>("DELETE", "/api/deploy-baselines/:project", { params: { project } }),
});
