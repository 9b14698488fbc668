/** Routes by which the command line signs in: it asks for a code, a signed-in person decides, it polls for the key. */
import { errorSchema } from "../base/error-schema.ts";
import { successSchema } from "../base/success.ts";
import {
  decideDeviceCodeSchema,
  deviceCodeSchema,
  grantedDeviceCodeSchema,
  pendingDeviceCodeSchema,
  pollDeviceCodeSchema,
  requestDeviceCodeSchema,
} from "../resources/device-login.ts";
import { defineRoute } from "./route.ts";

const tag = "Command line";

/** Routes of device codes, by operation. */
export const deviceCodeRoutes = {
  request: defineRoute({
    method: "POST",
    path: "/api/cli/device-codes",
    access: "public",
    tag,
    summary: "Start a sign-in of the command line",
    body: requestDeviceCodeSchema.prefault({}),
    answer: deviceCodeSchema,
  }),
  poll: defineRoute({
    method: "POST",
    path: "/api/cli/device-codes/poll",
    access: "public",
    tag,
    summary: "Ask whether the code was confirmed; the key is handed over once",
    body: pollDeviceCodeSchema,
    answer: grantedDeviceCodeSchema,
    otherAnswers: { 202: pendingDeviceCodeSchema, 410: errorSchema },
  }),
  decide: defineRoute({
    method: "POST",
    path: "/api/cli/device-codes/decide",
    access: "session_changes",
    tag,
    summary: "Authorize or decline a code, as the signed-in person",
    body: decideDeviceCodeSchema,
    answer: successSchema,
    otherAnswers: { 410: errorSchema },
  }),
};
