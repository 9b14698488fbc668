import { type ConditionWords, textOf } from "./condition-words.ts";

/** Words about an old version of TLS. */
export const sslProtocolDeprecated: ConditionWords = {
  type: "ssl_protocol_deprecated",
  say({ threshold, observed }) {
    const [oldest, seen] = [textOf(threshold), textOf(observed)];
    if (oldest === undefined || seen === undefined) return undefined;
    return {
      sentence: `The connection used ${seen}; the rule wants ${oldest} or newer.`,
      threshold: `${oldest} or newer`,
      observed: seen,
    };
  },
};
