/** The meter of the service's language model: all replicas count in the database, and stop at the operator's limit. */
import type { Services } from "../services.ts";
import { type LanguageModel, openLanguageModel, type TokenMeter } from "./language-model.ts";
import { noteTokens, readTokens } from "./token-store.ts";

/** The operator's limit of tokens is reached; the message says until when. */
export class TokensUsedUp extends Error {}

/** Returns the language model that the operator has set up, with its meter; undefined: there is none. */
export function serviceModel(
  services: Pick<Services, "config" | "knex" | "clock">,
): LanguageModel | undefined {
  const settings = services.config.languageModel;
  return settings && openLanguageModel(settings, { meter: tokenMeter(services) });
}

function tokenMeter({ config, knex, clock }: Pick<Services, "config" | "knex" | "clock">): TokenMeter {
  const limit = config.languageModel?.tokensPerMonthMax;
  return {
    assertMayAsk: async () => {
      if (limit === undefined) return;
      const used = await readTokens(knex, clock.nowMs());
      if (used >= limit)
        throw new TokensUsedUp(
          `This service's language model has used the ${limit} tokens that SVC_LLM_TOKENS_PER_MONTH_MAX allows in this month (UTC)`,
        );
    },
    note: (use) => noteTokens(knex, clock.nowMs(), use),
  };
}
