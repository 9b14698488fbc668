/**
 * Hides secrets in a plan before it is stored. `svc diff` hides them itself; a plan of another client, or of a version that does
 * not know a field as secret, is not relied upon. A change does not tell its resource's type, so a field that is secret in any
 * type is hidden. Pure.
 */
import {
  type CreateDeployPlan,
  channelTypes,
  firstCharacters,
  isSecretHeader,
  maskMarked,
  maskUrl,
  maskUrlsIn,
  REDACTED,
  type SecretMark,
  secretEntryRule,
  secretMarksOf,
  TextFinder,
} from "@svc/contract";

type Change = CreateDeployPlan["changes"][number];
type FieldChange = Change["fieldChanges"][number];

/** Shortest stored value that is searched for: shorter ones would be found in every other text. */
const VALUE_CHARACTERS_MIN = 6;
/** Most characters of names and of paths of fields, as the contract has them. */
const [NAME_CHARACTERS_MAX, FIELD_CHARACTERS_MAX] = [600, 1_000];
/** A name that no check type has: the marks of all types are asked for. */
const ANY_TYPE = "";

const CHANNEL_MARKS: Readonly<Partial<Record<string, SecretMark>>> = Object.assign(
  {},
  ...channelTypes.members.map(({ secretFields }) => secretFields),
);
const CHANNEL_URLS: ReadonlySet<string> = new Set(
  channelTypes.members.flatMap(({ urlFields }: { urlFields?: readonly string[] }) => urlFields ?? []),
);

/**
 * Returns the plan with the fields hidden that any check or channel type marks as secret, with the credentials of URLs hidden in
 * all values, and with the team's stored values hidden wherever they stand. A plan without secrets is returned as it is.
 * @param values values of the team's secrets
 */
export function hideSecrets(plan: CreateDeployPlan, values: readonly string[]): CreateDeployPlan {
  const hide = valueHider(values);
  const hideName = (name: string) => firstCharacters(hide(name), NAME_CHARACTERS_MAX);
  return {
    ...plan,
    changes: plan.changes.map((change) => ({
      ...change,
      name: hideName(change.name),
      fieldChanges: change.fieldChanges.map((one) => {
        const { field, oldValue, newValue, ...rest } = hideField(change, one);
        return {
          field: firstCharacters(hide(field), FIELD_CHARACTERS_MAX),
          oldValue: mapTexts(oldValue, hide),
          newValue: mapTexts(newValue, hide),
          ...rest,
        };
      }),
    })),
    prunable: plan.prunable.map((one) => ({ ...one, name: hideName(one.name) })),
    ci: plan.ci && hideInCi(plan.ci, hide),
  };
}

function hideInCi(ci: NonNullable<CreateDeployPlan["ci"]>, hide: (text: string) => string) {
  // The values first: a URL in a text ends at a quote or bracket, and a credential may go on behind it.
  const text = (value: string | null) =>
    value && firstCharacters(maskUrlsIn(hide(value)), FIELD_CHARACTERS_MAX);
  const url = ci.url && maskUrl(hide(ci.url));
  return {
    commit: text(ci.commit),
    branch: text(ci.branch),
    author: text(ci.author),
    // With a value hidden in its host it leads nowhere.
    url: url && URL.canParse(url) ? url : null,
  };
}

function valueHider(values: readonly string[]): (text: string) => string {
  const wanted = values.filter(({ length }) => length >= VALUE_CHARACTERS_MIN);
  if (wanted.length === 0) return (text) => text;
  const forms = wanted.flatMap((value) => [
    value,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
  ]);
  const finder = new TextFinder([...new Set(forms)]);
  return (text) => finder.replace(text, REDACTED, Number.POSITIVE_INFINITY);
}

function hideField({ kind }: Change, change: FieldChange): FieldChange {
  const mask = maskOf(kind, change.field);
  if (mask === "hidden") return { ...change, oldValue: REDACTED, newValue: REDACTED, redacted: true };
  const shown = (value: unknown) => mapTexts(mask(value ?? null), maskUrlsIn);
  return { ...change, oldValue: shown(change.oldValue), newValue: shown(change.newValue) };
}

/** Returns how the values of a field are shown: not at all, or as the function returns them. */
function maskOf(kind: Change["kind"], path: string): "hidden" | ((value: unknown) => unknown) {
  const [field = "", ...rest] = path.split(".");
  const entry = rest.join(".");
  if (kind === "check") {
    const mark = secretMarksOf(ANY_TYPE)[field];
    const isSecretEntry = secretEntryRule(mark);
    if (mark === undefined) return asIs;
    if (isSecretEntry && entry !== "") return isSecretEntry(entry) ? "hidden" : asIs;
    if (mark === "requests" && entry !== "") return "hidden";
    if (isSecretEntry || mark === "url" || mark === "named" || mark === "requests")
      return (value) => maskMarked(value, mark);
    return "hidden";
  }
  if (kind !== "channel") return asIs;
  const mark = CHANNEL_MARKS[field];
  if (mark === "whole") return entry !== "" && !isSecretHeader(entry) ? asIs : "hidden";
  if (mark === "beyond_origin") return (value) => (typeof value === "string" ? originOf(value) : value);
  return CHANNEL_URLS.has(field) ? (value) => (typeof value === "string" ? maskUrl(value) : value) : asIs;
}

function asIs(value: unknown): unknown {
  return value;
}

function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : REDACTED;
}

/** Returns a value with every text in it rewritten, names of fields included. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [map(name), mapTexts(item, map)]));
}
