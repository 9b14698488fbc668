/** Lists the fields of a resource that change, and hides values that may be secret. Pure. */
import { isDeepStrictEqual } from "node:util";
import {
  type ChannelType,
  channelTypes,
  type DeployedKind,
  isSecretAuthField,
  isSecretHeader,
  maskCheckConfig,
  maskUrl,
  REDACTED,
  type SecretMark,
} from "@svc/contract";
import type { Secrets } from "../output/secrets.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { Fields } from "./compared-fields.ts";

export interface FieldChange {
  field: string;
  oldValue: unknown;
  newValue: unknown;
  /** Present when both values are hidden. */
  redacted?: true;
}

type Visibility = "shown" | "hidden" | "url" | "origin" | "tool calls";

/** Maps whose entries are compared as single fields: each is shown or hidden by its name. */
const MAPS = new Set(["headers", "auth"]);

/** Lists the changed fields, in the order of the new side, followed by the fields that were removed. */
export function fieldChanges({
  kind,
  before,
  after,
  secrets,
}: {
  kind: DeployedKind;
  before: Fields;
  after: Fields;
  secrets: Secrets;
}): FieldChange[] {
  const [old, wanted] = [flatten(before), flatten(after)];
  const type = after.type as ChannelType | undefined;
  return [...new Set([...wanted.keys(), ...old.keys()])]
    .filter((field) => canonicalJson(old.get(field)) !== canonicalJson(wanted.get(field)))
    .map((field) =>
      shownChange(
        { field, oldValue: old.get(field), newValue: wanted.get(field) },
        visibilityOf(kind, type, field),
        secrets,
      ),
    );
}

/** True when the two sides mean the same resource; an undefined field equals an absent one. */
export function areEqual(before: Fields, after: Fields): boolean {
  // Most resources are unchanged, which this finds without writing both as JSON.
  if (isDeepStrictEqual(before, after)) return true;
  return canonicalJson(withoutUndefined(before)) === canonicalJson(withoutUndefined(after));
}

function withoutUndefined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function flatten(fields: Fields): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  for (const [field, value] of Object.entries(fields)) {
    if (MAPS.has(field) && typeof value === "object" && value !== null)
      for (const [name, item] of Object.entries(value)) flat.set(`${field}.${name}`, item);
    else if (value !== undefined) flat.set(field, value);
  }
  return flat;
}

function visibilityOf(kind: DeployedKind, channelType: ChannelType | undefined, field: string): Visibility {
  const [map, ...rest] = field.split(".");
  const name = rest.join(".");
  if (map === "headers" && name !== "") return isSecretHeader(name) ? "hidden" : "shown";
  if (map === "auth" && name !== "") return isSecretAuthField(name) ? "hidden" : "shown";
  if (kind === "check") {
    if (field === "body" || field === "script" || field === "auth") return "hidden";
    if (field === "testCalls") return "tool calls";
    return field === "url" || field === "endpoint" ? "url" : "shown";
  }
  if (kind !== "channel" || !channelType) return "shown";
  const marks: Partial<Record<string, SecretMark>> = channelTypes.find(channelType)?.secretFields ?? {};
  if (marks[field] === "whole") return "hidden";
  if (marks[field] === "beyond_origin") return "origin";
  return field === "instanceUrl" ? "url" : "shown";
}

/** Hides both values when one has to be hidden: the other one is most likely the former or the next secret. */
function shownChange(
  { field, oldValue, newValue }: FieldChange,
  visibility: Visibility,
  secrets: Secrets,
): FieldChange {
  const hidden: FieldChange = { field, oldValue: REDACTED, newValue: REDACTED, redacted: true };
  if (visibility === "hidden" || holdsSecret(oldValue, secrets) || holdsSecret(newValue, secrets))
    return hidden;
  if (visibility === "shown") return { field, oldValue: oldValue ?? null, newValue: newValue ?? null };
  const mask = MASKS[visibility];
  const [before, after] = [mask(oldValue), mask(newValue)];
  // Only the credential differs: there is nothing that may be shown.
  return canonicalJson(before) === canonicalJson(after)
    ? hidden
    : { field, oldValue: before, newValue: after };
}

function holdsSecret(value: unknown, secrets: Secrets): boolean {
  return value !== undefined && secrets.isIn(JSON.stringify(value));
}

const MASKS: Record<Exclude<Visibility, "shown" | "hidden">, (value: unknown) => unknown> = {
  url: (value) => maskText(value, maskUrl),
  origin: (value) => maskText(value, originOf),
  "tool calls": (value) => maskCheckConfig({ testCalls: value ?? null }).testCalls,
};

function maskText(value: unknown, mask: (text: string) => string): unknown {
  return typeof value === "string" ? mask(value) : (value ?? null);
}

function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : REDACTED;
}
