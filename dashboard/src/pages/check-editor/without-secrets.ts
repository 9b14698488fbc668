/** What of a check's draft outlives a reload. */
import { checkTypes, MASK, maskCheckConfigForRead } from "@svc/contract";
import { type CheckDraft, configKeyOf } from "./body.ts";

/** Returns a draft in which what may be secret is left out; bodies and scripts stay. */
export function withoutSecrets(draft: CheckDraft): CheckDraft {
  if (!checkTypes.find(draft.type)) return draft;
  const key = configKeyOf(draft.type);
  const config = draft[key];
  if (typeof config !== "object" || config === null) return draft;
  const masked = maskCheckConfigForRead(draft.type, config as Record<string, unknown>, { hasContent: true });
  return { ...draft, [key]: leftOut(masked, config) };
}

/** Returns a masked value in which each mask that the value itself does not have is an empty text. */
function leftOut(masked: unknown, own: unknown): unknown {
  if (typeof masked === "string") {
    if (masked === own) return masked;
    return masked === MASK ? "" : masked.replaceAll(MASK, "");
  }
  if (Array.isArray(masked))
    return masked.map((item, i) => leftOut(item, Array.isArray(own) ? own[i] : undefined));
  if (typeof masked !== "object" || masked === null) return masked;
  const values = (own ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(masked).map(([name, item]) => [name, leftOut(item, values[name])]),
  );
}
