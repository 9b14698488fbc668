/** A check as the change log compares and shows it. Pure. */
import { REDACTED } from "@svc/contract";
import type { Described } from "../changes/changed-fields.ts";
import type { SecretBox } from "../db/secret-box.ts";
import { type CheckModel, configFromRow } from "./row.ts";

/** With its secrets: what differs is found here. */
export function describeCheck(secrets: SecretBox, row: CheckModel): Described {
  const { name, frequencySeconds, locationIds, enabled, retry } = row;
  return {
    ...{ name, enabled, frequencySeconds, retry },
    locations: locationIds,
    configJson: configFromRow(secrets, row),
  };
}

/** The same as it may be shown. */
export function describeCheckMasked(secrets: SecretBox, row: CheckModel): Described {
  return { ...describeCheck(secrets, row), configJson: maskConfig(configFromRow(secrets, row)) };
}

/** Headers whose values are no credentials. */
const ORDINARY_HEADERS = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-type",
  "user-agent",
]);
/** What of an auth block is no credential. */
const ORDINARY_AUTH_FIELDS = new Set(["type", "header"]);
const CREDENTIAL_PARAMETER =
  /^(.*[-_])?(key|apikey|token|secret|password|passwd|pwd|sig|signature|auth|credential|credentials)$/i;

/** Credentials, request bodies and scripts are replaced; of URLs the user, password and credential-like parameters. */
function maskConfig(config: Described): Described {
  return Object.fromEntries(Object.entries(config).map(([field, value]) => [field, maskField(field, value)]));
}

function maskField(field: string, value: unknown): unknown {
  switch (field) {
    case "auth":
      return maskValues(value, (name) => ORDINARY_AUTH_FIELDS.has(name));
    case "headers":
      return maskValues(value, (name) => ORDINARY_HEADERS.has(name.toLowerCase()));
    case "body":
    case "script":
      return value === undefined ? undefined : REDACTED;
    case "url":
    case "endpoint":
      return typeof value === "string" ? maskUrl(value) : value;
    default:
      return value;
  }
}

function maskValues(value: unknown, isOrdinary: (name: string) => boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isOrdinary(name) ? item : REDACTED]),
  );
}

function maskUrl(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const parameters = [...url.searchParams.keys()].filter((name) => CREDENTIAL_PARAMETER.test(name));
  if (url.username === "" && url.password === "" && parameters.length === 0) return text;
  if (url.username !== "") url.username = "redacted";
  if (url.password !== "") url.password = "redacted";
  for (const name of parameters) url.searchParams.set(name, "redacted");
  return url.href;
}
