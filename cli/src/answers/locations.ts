/** Answers of `svc locations`. */
import { INSTALL_METHODS, locationSchema, runnerKeySchema, runnerSchema } from "@svc/contract";
import * as z from "zod";
import type { Answers } from "./answers.ts";

/** Answers of `svc locations list`. */
export const locationsList: Answers = { data: z.object({ locations: z.array(locationSchema) }) };

/** Answers of `svc locations create` and `update`. */
export const locationsOne: Answers = { data: z.object({ location: locationSchema }) };

/** Answers of `svc locations runners`. */
export const locationsRunners: Answers = { data: z.object({ runners: z.array(runnerSchema) }) };

/** Answers of `svc locations install-command`. */
export const locationsInstallCommand: Answers = {
  data: z.object({
    command: z.string().describe("The command to paste. It holds the new key in clear."),
    method: z.enum(INSTALL_METHODS),
    runnerUrl: z.string(),
    keyId: z.string(),
    locationId: z.string(),
  }),
};

/** Answers of `svc locations keys list`. */
export const runnerKeysList: Answers = {
  data: z.object({ keys: z.array(runnerKeySchema.omit({ secret: true })) }),
};

/** Answers of `svc locations keys create`. */
export const runnerKeysCreate: Answers = {
  data: z.object({
    key: runnerKeySchema.extend({ secret: z.string().describe("The key in clear; it is shown this once.") }),
  }),
};
