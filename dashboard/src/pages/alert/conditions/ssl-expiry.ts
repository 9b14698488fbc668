import { type ConditionWords, counted, fieldsOf, numberOf, textOf } from "./condition-words.ts";

/** Words about a certificate that ends soon. */
export const sslExpiry: ConditionWords = {
  type: "ssl_expiry",
  say({ threshold, observed }) {
    const { daysLeft, validTo, subject } = fieldsOf(observed);
    const [days, left, until] = [numberOf(threshold), numberOf(daysLeft), textOf(validTo)];
    if (days === undefined || left === undefined || until === undefined) return undefined;
    const name = textOf(subject) ?? "The certificate";
    return {
      sentence:
        left > 0
          ? `${name} ends in ${left} days, at ${until}; the rule fires ${counted(days, "day")} before.`
          : `${name} ended at ${until}.`,
      threshold: `${counted(days, "day")} before its end`,
      observed: left > 0 ? `${left} days left` : "ended",
    };
  },
};
