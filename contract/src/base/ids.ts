/**
 * Record ids: TypeIDs (prefix, `_`, 26 characters of base32 over 128 bits that begin with the time, so that they sort).
 * Ids of results and runs are not stored anywhere: they are reversible encodings of the natural key
 * (slot, check key, location key), see {@link resultIdOf} and {@link runIdOf}.
 */
import { fromString, parseTypeId, typeidUnboxed } from "typeid-js";
import * as z from "zod";

/** Every kind of record and the prefix of its ids. */
export const ID_PREFIXES = {
  check: "chk",
  result: "res",
  run: "run",
  alertRule: "alert",
  alertInstance: "ainst",
  alertEvent: "aevt",
  channel: "nch",
  slo: "slo",
  spec: "spec",
  location: "loc",
  apiKey: "key",
  runnerKey: "rkey",
  runner: "rnr",
  team: "team",
  user: "usr",
  incidentEvent: "ievt",
  incident: "inc",
  maintenanceWindow: "mw",
  maintenanceEvent: "mevt",
  notification: "ntf",
  delivery: "dlv",
  change: "chg",
  auditEntry: "aud",
  derivedEvent: "devt",
  telemetryResults: "tres",
  deployment: "dep",
  incidentNote: "inote",
  artifact: "art",
  session: "ses",
  invitation: "inv",
  secret: "sec",
  thirdPartyPattern: "tpp",
  testRun: "trun",
  deployPlan: "plan",
  alertPolicy: "apol",
  displayLink: "disp",
  rota: "rota",
  statusPage: "stp",
  statusNotice: "snot",
  statusSubscriber: "ssub",
} as const;

/** A kind of record that has ids, such as `check`. */
export type IdKind = keyof typeof ID_PREFIXES;

declare const kindOfId: unique symbol;
/** An id of one kind. The compiler refuses an id of another kind in its place. */
export type Id<K extends IdKind> = string & { readonly [kindOfId]: K };
/** Id of a check (`chk_`). */
export type CheckId = Id<"check">;
/** Id of a result (`res_`): an encoding of slot, check and location. */
export type ResultId = Id<"result">;
/** Id of a run (`run_`): an encoding of slot and check. */
export type RunId = Id<"run">;
/** Id of a location (`loc_`). */
export type LocationId = Id<"location">;
/** Id of a team (`team_`). */
export type TeamId = Id<"team">;
/** Id of a person's account (`usr_`). */
export type UserId = Id<"user">;
/** Id of an API key (`key_`); not the key itself. */
export type ApiKeyId = Id<"apiKey">;
/** Id of a display link (`disp_`); not its secret. */
export type DisplayLinkId = Id<"displayLink">;
/** Id of a runner key (`rkey_`); not the key itself. */
export type RunnerKeyId = Id<"runnerKey">;
/** Id of a runner (`rnr_`). */
export type RunnerId = Id<"runner">;
/** Id of an alert rule (`alert_`). */
export type AlertRuleId = Id<"alertRule">;
/** Id of an alert instance (`ainst_`). */
export type AlertInstanceId = Id<"alertInstance">;
/** Id of a notification channel (`nch_`). */
export type ChannelId = Id<"channel">;
/** Id of an SLO (`slo_`). */
export type SloId = Id<"slo">;
/** Id of an API spec (`spec_`). */
export type SpecId = Id<"spec">;
/** Id of an incident (`inc_`). */
export type IncidentId = Id<"incident">;
/** Id of an event of an incident (`ievt_`). */
export type IncidentEventId = Id<"incidentEvent">;
/** Id of a note of an incident (`inote_`). */
export type IncidentNoteId = Id<"incidentNote">;
/** Id of a maintenance window (`mw_`). */
export type MaintenanceWindowId = Id<"maintenanceWindow">;
/** Id of a maintenance event (`mevt_`). */
export type MaintenanceEventId = Id<"maintenanceEvent">;
/** Id of a deployment marker (`dep_`). */
export type DeploymentId = Id<"deployment">;
/** Id of a notification (`ntf_`), which may take several deliveries. */
export type NotificationId = Id<"notification">;
/** Id of a delivery of a notification (`dlv_`). */
export type DeliveryId = Id<"delivery">;
/** Id of a stored screenshot or video (`art_`). */
export type ArtifactId = Id<"artifact">;
/** Id of a sign-in session (`ses_`); not its token. */
export type SessionId = Id<"session">;
/** Id of a team secret (`sec_`). */
export type SecretId = Id<"secret">;
/** Id of a third-party pattern (`tpp_`). */
export type ThirdPartyPatternId = Id<"thirdPartyPattern">;
/** Id of a deploy plan (`plan_`). */
export type DeployPlanId = Id<"deployPlan">;
/** Id of an alert policy (`apol_`). */
export type AlertPolicyId = Id<"alertPolicy">;
/** Id of a rota (`rota_`). */
export type RotaId = Id<"rota">;
/** Id of a status page (`stp_`). */
export type StatusPageId = Id<"statusPage">;
/** Id of a notice of a status page (`snot_`). */
export type StatusNoticeId = Id<"statusNotice">;
/** Id of a subscriber of a status page (`ssub_`). */
export type StatusSubscriberId = Id<"statusSubscriber">;
/** Id of a test run (`trun_`). */
export type TestRunId = Id<"testRun">;
/** Id of an invitation to a team (`inv_`); not its token. */
export type InvitationId = Id<"invitation">;

/**
 * Returns the schema of a path parameter or reference that names a record of the kind. Any text passes: an id in the wrong
 * form names no record, which the verb answers with `not_found`, as for a record that does not exist.
 */
export function idSchema<K extends IdKind>(_kind: K): z.ZodType<Id<K>, string> {
  return z.string() as z.ZodString & z.ZodType<Id<K>, string>;
}

/** Returns a fresh id of the kind. */
export function newId<K extends IdKind>(kind: K): Id<K> {
  const id: string = typeidUnboxed(ID_PREFIXES[kind]);
  return id as Id<K>;
}

/** Length of the longest prefix, `_` and the 26 characters after it, generously. */
const ID_LENGTH_MAX = 64;

/** True when `text` has the form of an id of the kind (says nothing about whether the record exists). */
export function isId<K extends IdKind>(kind: K, text: string): text is Id<K> {
  if (text.length > ID_LENGTH_MAX) return false;
  try {
    return parseTypeId(fromString(text)).prefix === ID_PREFIXES[kind];
  } catch {
    return false;
  }
}

/** Natural key of a result. `checkKey` is below 2^48, `locationKey` below 2^32, `slotMs` (Unix ms) below 2^48. */
export interface ResultKey {
  slotMs: number;
  checkKey: number;
  locationKey: number;
}

const MAX_48_BITS = 2 ** 48 - 1;
const MAX_32_BITS = 2 ** 32 - 1;

/**
 * Returns the id of the result of one check at one location for one slot.
 * @throws RangeError when a part of the key does not fit
 */
export function resultIdOf(key: ResultKey): ResultId {
  return encodeKey(ID_PREFIXES.result, key) as ResultId;
}

/**
 * Returns the id of a check's run: one slot across all its locations.
 * @throws RangeError when a part of the key does not fit
 */
export function runIdOf(key: Omit<ResultKey, "locationKey">): RunId {
  return encodeKey(ID_PREFIXES.run, { ...key, locationKey: 0 }) as RunId;
}

/** Returns the key that a result id encodes, or undefined when `text` is not a result id. */
export function parseResultId(text: string): ResultKey | undefined {
  return decodeKey(ID_PREFIXES.result, text);
}

/** Returns the key that a run id encodes, or undefined when `text` is not a run id. */
export function parseRunId(text: string): Omit<ResultKey, "locationKey"> | undefined {
  return decodeKey(ID_PREFIXES.run, text);
}

/** Crockford's base32 alphabet in lower case, which the TypeID specification 0.3 prescribes. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const SUFFIX_LENGTH = 26;

function encodeKey(prefix: string, { slotMs, checkKey, locationKey }: ResultKey): string {
  if (!(slotMs >= 0 && slotMs <= MAX_48_BITS)) throw new RangeError(`slotMs out of range: ${slotMs}`);
  if (!(checkKey >= 0 && checkKey <= MAX_48_BITS)) throw new RangeError(`checkKey out of range: ${checkKey}`);
  if (!(locationKey >= 0 && locationKey <= MAX_32_BITS))
    throw new RangeError(`locationKey out of range: ${locationKey}`);
  let bits = (BigInt(slotMs) << 80n) | (BigInt(checkKey) << 32n) | BigInt(locationKey);
  let suffix = "";
  for (let i = 0; i < SUFFIX_LENGTH; i++) {
    suffix = ALPHABET[Number(bits & 31n)] + suffix;
    bits >>= 5n;
  }
  return `${prefix}_${suffix}`;
}

function decodeKey(prefix: string, text: string): ResultKey | undefined {
  if (!text.startsWith(`${prefix}_`) || text.length !== prefix.length + 1 + SUFFIX_LENGTH) return undefined;
  let bits = 0n;
  for (const char of text.slice(prefix.length + 1)) {
    const value = ALPHABET.indexOf(char);
    if (value < 0) return undefined;
    bits = (bits << 5n) | BigInt(value);
  }
  if (bits >> 128n) return undefined;
  return {
    slotMs: Number(bits >> 80n),
    checkKey: Number((bits >> 32n) & 0xffffffffffffn),
    locationKey: Number(bits & 0xffffffffn),
  };
}

/**
 * Returns the id of a run's root span: the second half of the trace id. The run's request carries it to the target as the
 * parent span.
 */
export function rootSpanIdOf(traceId: string): string {
  return traceId.slice(16);
}
