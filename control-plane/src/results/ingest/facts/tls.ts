/** The TLS chain that a run saw: observations of a check location, one for each change. */
import { insertTlsObservations } from "../store.ts";
import { defineFactStore, NO_ADDITIONS } from "./fact-store.ts";

/** Stores each change of the chain. */
export const tlsFactStore = defineFactStore("tls", async (trx, facts) => {
  await insertTlsObservations(trx, facts);
  return NO_ADDITIONS;
});
