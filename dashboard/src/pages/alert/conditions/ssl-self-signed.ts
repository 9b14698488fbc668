import { type ConditionWords, fieldsOf, textOf } from "./condition-words.ts";

/** Words about a certificate without a trusted root. */
export const sslSelfSigned: ConditionWords = {
  type: "ssl_self_signed",
  say({ threshold, observed }) {
    const { isSelfSigned, trustError, issuer } = fieldsOf(observed);
    const wanted = textOf(threshold);
    if (typeof isSelfSigned !== "boolean" || wanted === undefined) return undefined;
    const by = textOf(issuer);
    const found = isSelfSigned ? "self-signed" : (textOf(trustError) ?? "root not trusted");
    return {
      sentence: `${isSelfSigned ? "The certificate is self-signed" : "The certificate leads to no trusted root"}${by === undefined ? "" : `; its issuer is ${by}`}.`,
      threshold: wanted,
      observed: found,
    };
  },
};
