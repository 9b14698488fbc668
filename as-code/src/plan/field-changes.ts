/** Lists the fields of a resource that change, and hides values that may be secret. Pure. */

import { isDeepStrictEqual } from "node:util";
import {
  type ChannelDefinition,
  type CheckSecretMark,
  channelTypes,
  credentialsOfUrl,
  type DeployedKind,
  isSecretHeader,
  maskMarked,
  maskUrl,
  namedCredentials,
  REDACTED,
  requestCredentials,
  type SecretMark,
  secretEntryRule,
  secretMarksOf,
} from "@svc/contract";
import { canonicalJson } from "../canonical-json.ts";
import type { Fields } from "./compared-fields.ts";
import type { Secrets } from "./secrets.ts";

/** A field that differs; undefined on a side that lacks the field. */
export interface FieldChange {
  field: string;
  oldValue: unknown;
  newValue: unknown;
  /** Present when both values are hidden. */
  redacted?: true;
}

type Visibility = "shown" | "hidden" | "url" | "origin" | "named" | "requests";

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
  const type = String(after.type);
  const hasEntries = (field: string) => entryRuleOf(kind, type, field) !== undefined;
  const [old, wanted] = [flatten(before, hasEntries), flatten(after, hasEntries)];
  return [...new Set([...wanted.keys(), ...old.keys()])]
    .filter((field) => canonicalJson(old.get(field)) !== canonicalJson(wanted.get(field)))
    .flatMap((field) =>
      shownChanges(
        { field, oldValue: old.get(field), newValue: wanted.get(field) },
        visibilityOf(kind, type, field),
        secrets,
      ),
    );
}

/** True when both sides describe one resource with equal fields; an undefined field equals an absent one. */
export function areEqual(before: Fields, after: Fields): boolean {
  // Most resources are unchanged, which this finds without writing both as JSON.
  if (isDeepStrictEqual(before, after)) return true;
  return canonicalJson(withoutUndefined(before)) === canonicalJson(withoutUndefined(after));
}

function withoutUndefined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Makes the entries of some fields fields of their own, since each is shown or hidden by its name. */
function flatten(fields: Fields, hasEntries: (field: string) => boolean): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  for (const [field, value] of Object.entries(fields)) {
    if (typeof value === "object" && value !== null && !Array.isArray(value) && hasEntries(field))
      for (const [name, item] of Object.entries(value)) flat.set(`${field}.${name}`, item);
    else if (value !== undefined) flat.set(field, value);
  }
  return flat;
}

/** Returns the rule by which an object's entries are shown as fields of their own: true for the name of a secret one. */
function entryRuleOf(
  kind: DeployedKind,
  type: string,
  field: string,
): ((name: string) => boolean) | undefined {
  if (kind === "check") return secretEntryRule(secretMarksOf(type)[field]);
  return kind === "channel" && marksOfChannel(type)[field] === "whole" ? isSecretHeader : undefined;
}

function visibilityOf(kind: DeployedKind, type: string, path: string): Visibility {
  const [field = "", ...rest] = path.split(".");
  if (rest.length > 0) {
    const isSecret = entryRuleOf(kind, type, field);
    if (isSecret) return isSecret(rest.join(".")) ? "hidden" : "shown";
  }
  if (kind === "check") return visibilityOfMark(secretMarksOf(type)[field]);
  if (kind !== "channel") return "shown";
  const mark = marksOfChannel(type)[field];
  if (mark) return mark === "whole" ? "hidden" : "origin";
  const urlFields: readonly string[] = findChannel(type)?.urlFields ?? [];
  return urlFields.includes(field) ? "url" : "shown";
}

function visibilityOfMark(mark: CheckSecretMark | undefined): Visibility {
  if (mark === undefined) return "shown";
  return mark === "url" || mark === "named" || mark === "requests" ? mark : "hidden";
}

function findChannel(type: string): Pick<ChannelDefinition, "secretFields" | "urlFields"> | undefined {
  return channelTypes.find(type);
}

function marksOfChannel(type: string): Partial<Record<string, SecretMark>> {
  return findChannel(type)?.secretFields ?? {};
}

/**
 * Hides both values when one has to be hidden: the other one is most likely the former or the next secret. Of a value
 * that is hidden in part, the change of the hidden part is a change of its own.
 */
function shownChanges(
  { field, oldValue, newValue }: FieldChange,
  visibility: Visibility,
  secrets: Secrets,
): FieldChange[] {
  if (visibility === "hidden" || holdsSecret(oldValue, secrets) || holdsSecret(newValue, secrets))
    return [hiddenChange(field)];
  if (visibility === "shown") return [{ field, oldValue: oldValue ?? null, newValue: newValue ?? null }];
  const { mask, hidden, hiddenPart } = MASKS[visibility];
  const [before, after] = [mask(oldValue), mask(newValue)];
  // Only the credential differs: there is nothing that may be shown.
  if (canonicalJson(before) === canonicalJson(after)) return [hiddenChange(field)];
  const shown = { field, oldValue: before, newValue: after };
  return canonicalJson(hidden(oldValue)) === canonicalJson(hidden(newValue))
    ? [shown]
    : [shown, hiddenChange(`${field}.${hiddenPart}`)];
}

function hiddenChange(field: string): FieldChange {
  return { field, oldValue: REDACTED, newValue: REDACTED, redacted: true };
}

function holdsSecret(value: unknown, secrets: Secrets): boolean {
  return value !== undefined && secrets.isIn(JSON.stringify(value));
}

/** The part of a value that is shown, and the part that is not. */
interface PartialMask {
  mask(value: unknown): unknown;
  hidden(value: unknown): unknown;
  /** Names the hidden part in the path of a change of its own. */
  hiddenPart: string;
}

const MASKS: Record<Exclude<Visibility, "shown" | "hidden">, PartialMask> = {
  url: {
    mask: (value) => maskText(value, maskUrl),
    hidden: (value) => (typeof value === "string" ? credentialsOfUrl(value) : []),
    hiddenPart: "credentials",
  },
  origin: {
    mask: (value) => maskText(value, originOf),
    hidden: (value) => (typeof value === "string" ? value.slice(originOf(value).length) : ""),
    hiddenPart: "path",
  },
  named: {
    mask: (value) => maskMarked(value ?? null, "named"),
    hidden: (value) => namedCredentials(value),
    hiddenPart: "credentials",
  },
  requests: {
    mask: (value) => maskMarked(value ?? null, "requests"),
    hidden: requestCredentials,
    hiddenPart: "credentials",
  },
};

function maskText(value: unknown, mask: (text: string) => string): unknown {
  return typeof value === "string" ? mask(value) : (value ?? null);
}

function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : REDACTED;
}
