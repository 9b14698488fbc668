/**
 * The typed REST client: one method per route, nothing else between the caller and the wire. Bodies go out as they are
 * given (the service validates them), answers come back as the contract types them. Works in browsers and in Node.
 * The methods lie beside this file, one file per resource, and are typed by the route definitions one folder up.
 */
import { alertInstanceMethods } from "./alert-instances.ts";
import { alertPolicyMethods } from "./alert-policies.ts";
import { alertRuleMethods } from "./alert-rules.ts";
import { analysisMethods } from "./analysis.ts";
import { apiKeyMethods } from "./api-keys.ts";
import { asCodeMethods } from "./as-code.ts";
import { auditMethods } from "./audit.ts";
import { capacityMethods } from "./capacity.ts";
import { changeMethods } from "./changes.ts";
import { channelMethods } from "./channels.ts";
import { checkMethods } from "./checks.ts";
import { deployBaselineMethods } from "./deploy-baselines.ts";
import { deployPlanMethods } from "./deploy-plans.ts";
import { deviceCodeMethods } from "./device-codes.ts";
import { generationMethods } from "./generation.ts";
import { incidentMethods } from "./incidents.ts";
import { labelMethods } from "./labels.ts";
import { locationMethods } from "./locations.ts";
import { maintenanceWindowMethods } from "./maintenance-windows.ts";
import { metaMethods } from "./meta.ts";
import { reportMethods } from "./reports.ts";
import { type ApiClientOptions, RestConnection } from "./rest-connection.ts";
import { resultMethods } from "./results.ts";
import { rotaMethods } from "./rotas.ts";
import { secretMethods } from "./secrets.ts";
import { sloMethods } from "./slos.ts";
import { specMethods } from "./specs.ts";
import { statusPageMethods } from "./status-pages.ts";
import { thirdPartyPatternMethods } from "./third-party-patterns.ts";

const methodsOf = ({ call, readVersioned }: Pick<RestConnection, "call" | "readVersioned">) => ({
  ...checkMethods(call, readVersioned),
  ...resultMethods(call),
  ...labelMethods(call),
  ...alertRuleMethods(call),
  ...alertPolicyMethods(call),
  ...alertInstanceMethods(call),
  ...incidentMethods(call),
  ...reportMethods(call),
  ...rotaMethods(call, readVersioned),
  ...channelMethods(call),
  ...sloMethods(call),
  ...maintenanceWindowMethods(call),
  ...statusPageMethods(call),
  ...deployBaselineMethods(call),
  ...deployPlanMethods(call),
  ...generationMethods(call),
  ...changeMethods(call),
  ...auditMethods(call),
  ...locationMethods(call),
  ...capacityMethods(call),
  ...specMethods(call),
  ...secretMethods(call),
  ...thirdPartyPatternMethods(call),
  ...asCodeMethods(call),
  ...apiKeyMethods(call),
  ...analysisMethods(call),
  ...deviceCodeMethods(call),
  ...metaMethods(call),
});

/** Each method throws {@link ApiError} for an error answer, and the error of fetch when there is no answer. */
export type ApiClient = ReturnType<typeof methodsOf>;

/** Returns a client of the service at `options.baseUrl`. Sends nothing yet. */
export function createApiClient(options: ApiClientOptions): ApiClient {
  return methodsOf(new RestConnection(options));
}
