/**
 * Sign-in of the command line: it asks for a code, a signed-in person confirms the code, and the command line receives a
 * key of its own, once.
 */
import * as z from "zod";
import { keyNameSchema } from "../base/key-name.ts";
import { closedObject } from "../base/objects.ts";
import { createdApiKeySchema } from "./api-key.ts";

/** Time during which a code can be confirmed and polled. */
export const DEVICE_CODE_LIFETIME_SECONDS = 600;
/** Time between two polls of the command line. */
export const DEVICE_CODE_POLL_SECONDS = 2;

/** Consonants only: they form no words, and none of them looks like a digit (RFC 8628, section 6.1). */
const USER_CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
/** Matches the code that a person compares when the command line signs in. */
export const USER_CODE_PATTERN = new RegExp(`^[${USER_CODE_LETTERS}]{4}-[${USER_CODE_LETTERS}]{4}$`);

/**
 * Returns a new code of the form XXXX-XXXX.
 * @param pick returns an evenly spread random whole number from 0 to below its argument
 */
export function newUserCode(pick: (below: number) => number): string {
  const letters = Array.from({ length: 8 }, () => USER_CODE_LETTERS[pick(USER_CODE_LETTERS.length)]);
  return `${letters.slice(0, 4).join("")}-${letters.slice(4).join("")}`;
}

/** Schema of a code as people type it: in any case, with or without the hyphen. */
export const userCodeSchema = z
  .string()
  .max(32, "a code has the form XXXX-XXXX")
  .transform((text) =>
    text
      .toUpperCase()
      .replaceAll(/[\s-]/g, "")
      .replace(/^(.{4})/, "$1-"),
  )
  .pipe(z.string().regex(USER_CODE_PATTERN, "a code has the form XXXX-XXXX"));

/** Body of POST /api/cli/device-codes. */
export const requestDeviceCodeSchema = closedObject({
  clientName: keyNameSchema.describe("What the key will be called: the machine's host name."),
});

/** Schema of the answer that begins a sign-in of the command line. */
export const deviceCodeSchema = z
  .object({
    deviceCode: z.string().describe("The client's secret, to poll with."),
    userCode: z.string().describe("XXXX-XXXX, shown to the person, who compares it with the page's."),
    verificationUrl: z.string(),
    expiresIn: z.number().describe("Seconds."),
    interval: z.number().describe("Seconds between polls."),
  })
  .meta({ id: "DeviceCode" });
/** The codes of a new sign-in of the command line, and how to poll for its key. */
export type DeviceCode = z.infer<typeof deviceCodeSchema>;

/** Body of POST /api/cli/device-codes/poll. */
export const pollDeviceCodeSchema = closedObject({
  deviceCode: z.string().min(1, "a device code is needed").max(256, "no device code is that long"),
});

/** Schema of the answer while nobody has decided about a code. */
export const pendingDeviceCodeSchema = z.object({ status: z.literal("pending") });
/** Schema of the answer after a code was authorized, which holds the new key. */
export const grantedDeviceCodeSchema = z.object({ key: createdApiKeySchema });

/** Body of POST /api/cli/device-codes/decide, which the consent page sends. */
export const decideDeviceCodeSchema = closedObject({
  userCode: userCodeSchema,
  decision: z.enum(["authorize", "deny"]),
});
