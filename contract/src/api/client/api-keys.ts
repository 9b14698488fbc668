/** Client methods of API keys. All but `revokeOwnApiKey` need a dashboard session. */
import type * as z from "zod";
import type { ApiKey, CreatedApiKey, createApiKeySchema } from "../../resources/api-key.ts";
import type { apiKeyRoutes } from "../api-keys.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof apiKeyRoutes;

/** Returns the client methods of API keys. */
export const apiKeyMethods = (call: CallRoute) => ({
  /** Creates a key; only this answer shows its `secret`. */
  async createApiKey(key: z.input<typeof createApiKeySchema> = {}): Promise<CreatedApiKey> {
    return (await call<Routes["create"]>("POST", "/api/api-keys", { body: key })).key;
  },
  listApiKeys: (): Promise<ApiKey[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", "/api/api-keys", { query: page }),
      (answer) => answer.keys,
    ),
  deleteApiKey: (id: string) => call<Routes["delete"]>("DELETE", "/api/api-keys/:id", { params: { id } }),
  /** Revokes the key that this client uses. */
  revokeOwnApiKey: () => call<Routes["deleteSelf"]>("DELETE", "/api/api-keys/self"),
});
