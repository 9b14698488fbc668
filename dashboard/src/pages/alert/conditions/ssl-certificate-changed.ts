import { type ConditionWords, textOf } from "./condition-words.ts";

/** Words about a certificate that another one replaced. */
export const sslCertificateChanged: ConditionWords = {
  type: "ssl_certificate_changed",
  say({ threshold, observed }) {
    const [before, now] = [textOf(threshold), textOf(observed)];
    if (before === undefined || now === undefined) return undefined;
    return {
      sentence: "The target showed another certificate than in the run before at the same location.",
      threshold: `before: ${before}`,
      observed: `now: ${now}`,
    };
  },
};
