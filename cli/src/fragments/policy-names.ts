import type { ApiClient } from "@svc/contract";
import { listMaskedChannels } from "../resources/channels/get-channel.ts";
import type { PolicyNames } from "../resources/incidents/policy.ts";

/** Reads whom steps of the incident policy may name: the team's channels, credentials masked, and its rotas. */
export async function readPolicyNames(api: ApiClient): Promise<PolicyNames> {
  const [channels, rotas] = await Promise.all([listMaskedChannels(api), api.listRotas()]);
  return { channels, rotas };
}
