/** Client methods by which the command line signs in. */
import type { CreatedApiKey } from "../../resources/api-key.ts";
import type { deviceCodeRoutes } from "../device-codes.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof deviceCodeRoutes;

/** Returns the client methods of device codes. */
export const deviceCodeMethods = (call: CallRoute) => ({
  /**
   * Starts a sign-in of the command line.
   * @param clientName name of the key to be made
   */
  requestDeviceCode: (clientName: string) =>
    call<Routes["request"]>("POST", "/api/cli/device-codes", { body: { clientName } }),
  /** Returns the key, once, after somebody authorized the code; undefined while nobody has decided. */
  async pollDeviceCode(deviceCode: string): Promise<CreatedApiKey | undefined> {
    const input = { body: { deviceCode } };
    // The body of a 202, which a pending code gets, has no key.
    const answer: { key?: CreatedApiKey } = await call<Routes["poll"]>(
      "POST",
      "/api/cli/device-codes/poll",
      input,
    );
    return answer.key;
  },
});
