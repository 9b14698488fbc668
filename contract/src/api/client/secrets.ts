/** Client methods of team secrets. */
import type { Secret } from "../../resources/secret.ts";
import type { secretRoutes } from "../secrets.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof secretRoutes;

/** Returns the client methods of team secrets. */
export const secretMethods = (call: CallRoute) => ({
  /** Returns the secrets without their values, in the order of their names. */
  async listSecrets(): Promise<Secret[]> {
    return (await call<Routes["list"]>("GET", "/api/secrets")).secrets;
  },
  async createSecret(secret: { name: string; value: string }): Promise<Secret> {
    return (await call<Routes["create"]>("POST", "/api/secrets", { body: secret })).secret;
  },
  async updateSecret(id: string, value: string): Promise<Secret> {
    return (await call<Routes["update"]>("PUT", "/api/secrets/:id", { params: { id }, body: { value } }))
      .secret;
  },
  deleteSecret: (id: string) => call<Routes["delete"]>("DELETE", "/api/secrets/:id", { params: { id } }),
});
