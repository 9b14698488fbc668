/** Puts what an operation says into the draft of an http check. Pure. */
import type { CheckDraft } from "../body.ts";
import type { OperationRequest } from "./operation.ts";

/** Returns the draft with the operation's request; what the operation does not say stays. */
export function withOperation(draft: CheckDraft, operation: OperationRequest): CheckDraft {
  const { expectedStatus, headers, ...request } = operation;
  const config = (draft.httpConfig ?? {}) as Record<string, unknown>;
  const assertions = Array.isArray(config.assertions) ? (config.assertions as { type?: unknown }[]) : [];
  const isOfStatus = ({ type }: { type?: unknown }) => type === "status_code";
  const expected = { type: "status_code", operator: "equals", value: expectedStatus };
  const at = assertions.findIndex(isOfStatus);
  return {
    ...draft,
    httpConfig: {
      ...config,
      ...request,
      ...(headers && { headers: { ...(config.headers as object | undefined), ...headers } }),
      ...(expectedStatus !== undefined && {
        assertions: at < 0 ? [...assertions, expected] : assertions.with(at, expected),
      }),
    },
  };
}
