/** Client methods of API keys. All but `revokeOwnApiKey` need a dashboard session. */
import type { ApiKey, ApiKeySource, CreatedApiKey } from "../../resources/api-key.ts";
import type { apiKeyRoutes } from "../api-keys.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof apiKeyRoutes;

/** Returns the client methods of API keys. */
export const apiKeyMethods = (call: CallRoute) => ({
  /** Creates a key; only this answer shows its `secret`. */
  async createApiKey(key: { name?: string; source?: ApiKeySource } = {}): Promise<CreatedApiKey> {
    return (await call<Routes["create"]>("POST", "/api/api-keys", { body: key })).key;
  },
  async listApiKeys(): Promise<ApiKey[]> {
    return (await call<Routes["list"]>("GET", "/api/api-keys")).keys;
  },
  deleteApiKey: (id: string) => call<Routes["delete"]>("DELETE", "/api/api-keys/:id", { params: { id } }),
  /** Revokes the key that this client uses. */
  revokeOwnApiKey: () => call<Routes["deleteSelf"]>("DELETE", "/api/api-keys/self"),
});
