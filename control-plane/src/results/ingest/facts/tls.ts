/** The TLS chain that a run saw: observations of a check location, one for each change. */
import { type TlsFacts, tlsFactsSchema } from "@svc/contract";
import { insertTlsObservations } from "../store.ts";
import { type FactStore, NO_ADDITIONS } from "./fact-store.ts";

export const tlsFactStore = {
  type: "tls",
  schema: tlsFactsSchema,
  async store(trx, facts) {
    await insertTlsObservations(trx, facts);
    return NO_ADDITIONS;
  },
} as const satisfies FactStore<TlsFacts>;
