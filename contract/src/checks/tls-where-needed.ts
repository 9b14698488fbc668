/** The rule of check types that may speak TLS or not: settings that do nothing without it are refused. */
import type * as z from "zod";
import { type Assertion, assertionSubjectOf } from "../assertions/registry.ts";

/** A configuration that says whether TLS is spoken. */
interface WithTlsSwitch {
  tls: boolean;
  assertions: readonly Assertion[];
}

/**
 * Returns a check for `superRefine` that adds an issue for each setting that does nothing without TLS.
 * @param tlsFields the fields that say how TLS is spoken
 * @param condition says when TLS is spoken
 */
export function tlsWhereNeeded(tlsFields: Readonly<Record<string, unknown>>, condition = "with tls: true") {
  return (config: WithTlsSwitch, context: z.RefinementCtx): void => {
    if (config.tls) return;
    for (const field of Object.keys(tlsFields))
      if ((config as unknown as Record<string, unknown>)[field] !== undefined)
        context.addIssue({ code: "custom", path: [field], message: `only ${condition}` });
    for (const [index, { type }] of config.assertions.entries())
      if (assertionSubjectOf(type) === "certificate")
        context.addIssue({
          code: "custom",
          path: ["assertions", index],
          message: `${type} is about a certificate, which there is only ${condition}`,
        });
  };
}
