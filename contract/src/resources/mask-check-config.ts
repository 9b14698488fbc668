/** Masking of secrets in a check's configuration for the change log, deploy plans and the command line's output. Pure. */
import type * as z from "zod";
import { isSecretParameter } from "../base/credential-name.ts";
import { isObject } from "../base/is-object.ts";
import { maskUrl, maskUrlsIn } from "../base/mask-url.ts";
import { isSame, itemOfName, keepMasked, withShortMask } from "../base/masked-read.ts";
import { REDACTED } from "../base/redacted.ts";
import { assertSameDestination, type SecretDestinations } from "../base/secret-destinations.ts";
import type { CheckSecretMark } from "../checks/define-check-type.ts";
import { checkTypes } from "../checks/registry.ts";

/** Headers whose values are not credentials. */
const ORDINARY_HEADERS = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "content-type",
  "user-agent",
]);
/** Fields of an auth block that are not credentials. */
const ORDINARY_AUTH_FIELDS = new Set(["type", "header"]);

/** Marks of the fields of one request in a field marked `requests`. */
export const REQUEST_MARKS: Readonly<Partial<Record<string, Exclude<CheckSecretMark, "requests">>>> = {
  url: "url",
  headers: "headers",
  auth: "auth",
  body: "content",
};

/** True when the value of a request header must be hidden. All are hidden except a few ordinary headers. */
export function isSecretHeader(name: string): boolean {
  return !ORDINARY_HEADERS.has(name.toLowerCase());
}

/** True when a field of an auth block must be hidden. */
export function isSecretAuthField(name: string): boolean {
  return !ORDINARY_AUTH_FIELDS.has(name);
}

/** True when a text under this name in an object of fields with this mark must be hidden. */
const SECRET_ENTRIES = {
  auth: isSecretAuthField,
  headers: isSecretHeader,
} as const satisfies Partial<Record<CheckSecretMark, (name: string) => boolean>>;

/**
 * Returns the rule that tells secret entries of a field from others; undefined unless the mark is one of objects with
 * entries.
 */
export function secretEntryRule(mark: CheckSecretMark | undefined): ((name: string) => boolean) | undefined {
  return mark === "auth" || mark === "headers" ? SECRET_ENTRIES[mark] : undefined;
}

type SecretMarks = Readonly<Partial<Record<string, CheckSecretMark>>>;

const MARKS_OF_ALL_TYPES: SecretMarks = Object.assign(
  {},
  ...checkTypes.members.map(({ secretFields }) => secretFields),
);

/**
 * Returns the marks of the secret fields of a check type's configuration, by field. For a type that is not known here,
 * as that of a newer service may be, those of all types.
 */
export function secretMarksOf(type: string): SecretMarks {
  return checkTypes.find(type)?.secretFields ?? MARKS_OF_ALL_TYPES;
}

/** Returns a copy of a check's configuration in which everything that the check's type marks as secret is replaced. */
export function maskCheckConfig(
  type: string,
  config: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const marks = secretMarksOf(type);
  return Object.fromEntries(
    Object.entries(config).map(([field, value]) => {
      const mark = marks[field];
      return [field, mark ? maskMarked(value, mark) : value];
    }),
  );
}

/**
 * Returns a check's configuration as a masked read answers it: `***` stands for each secret.
 * @param options.hasContent true: bodies and scripts stay as they are
 */
export function maskCheckConfigForRead(
  type: string,
  config: Readonly<Record<string, unknown>>,
  { hasContent = false }: { hasContent?: boolean } = {},
): Record<string, unknown> {
  const marks = secretMarksOf(type);
  const masked = Object.entries(maskCheckConfig(type, config));
  return Object.fromEntries(
    masked.map(([field, value]) => {
      if (hasContent && marks[field] === "content") return [field, config[field]];
      const shown = hasContent && marks[field] === "requests" ? withBodies(value, config[field]) : value;
      return [field, marks[field] ? withShortMask(shown) : value];
    }),
  );
}

/** Returns masked requests with their bodies as they are. */
function withBodies(masked: unknown, requests: unknown): unknown {
  return mapRequests(masked, (request, at) => {
    const { body } = (requests as Record<string, unknown>[])[at] ?? {};
    return body === undefined ? request : { ...request, body };
  });
}

/**
 * Returns the given configuration of a check with the stored secret wherever `***` stands for one.
 * @throws DomainError `invalid` for a `***` that stands for nothing, and for one whose secret would go to another host
 */
export function keepMaskedCheckConfig(
  type: string,
  given: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const marks = secretMarksOf(type);
  const masked = maskCheckConfigForRead(type, stored);
  return Object.fromEntries(
    Object.entries(given).map(([field, value]) => {
      if (!marks[field]) return [field, value];
      const path = `configJson.${field}`;
      const kept = keepMasked({ given: value, stored: stored[field], masked: masked[field], path });
      if (!isSame(kept, value)) {
        const destinations = destinationsOf(type)[field] ?? [];
        // A URL that itself is kept goes where it went, so it is compared as it is stored.
        const filled = { ...withDefaults(type, given, stored), [field]: kept };
        assertSameDestination({ bodyField: "configJson", path, destinations, given: filled, stored });
        if (marks[field] === "requests")
          assertSameOrigins({ given: value, kept, stored: stored[field] }, path);
      }
      return [field, kept];
    }),
  );
}

function destinationsOf(type: string): SecretDestinations {
  const known: { secretDestinations?: SecretDestinations } | undefined = checkTypes.find(type);
  return known?.secretDestinations ?? {};
}

/** Returns the given configuration with the defaults of fields that are not given, as far as a valid configuration shows them. */
function withDefaults(
  type: string,
  given: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const schema: z.ZodType | undefined = checkTypes.find(type)?.configSchema;
  const absent = Object.keys(stored).filter((field) => given[field] === undefined);
  const defaults = absent.flatMap((field) => {
    const { [field]: _without, ...rest } = stored;
    const parsed = schema?.safeParse(rest);
    return parsed?.success ? [[field, (parsed.data as Record<string, unknown>)[field]]] : [];
  });
  return { ...Object.fromEntries(defaults), ...given };
}

/** Passes when each request that keeps a secret has the origin of the stored one of its name. */
function assertSameOrigins(
  { given, kept, stored }: { given: unknown; kept: unknown; stored: unknown },
  path: string,
): void {
  if (!Array.isArray(given) || !Array.isArray(kept)) return;
  for (const [at, request] of given.entries()) {
    if (isSame(request, kept[at])) continue;
    const before = itemOfName(stored, request) ?? (stored as unknown[])[at];
    assertSameDestination({
      bodyField: "configJson",
      path: `${path}[${at}]`,
      destinations: ["url"],
      given: kept[at],
      stored: before as Readonly<Record<string, unknown>>,
    });
  }
}

/**
 * Returns a copy of a field's value in which everything that the mark calls secret is replaced. URLs: see
 * {@link maskUrl}.
 */
export function maskMarked(value: unknown, mark: CheckSecretMark): unknown {
  switch (mark) {
    case "auth":
    case "headers":
      return maskValues(value, SECRET_ENTRIES[mark]);
    case "credential":
    case "content":
      return value === undefined ? undefined : REDACTED;
    case "named":
      return maskNamed(value);
    case "requests":
      return Array.isArray(value)
        ? mapRequests(value, (request) => mapMarked(request, maskMarked))
        : hidden(value);
    case "url":
      return typeof value === "string" ? maskUrl(value) : value;
  }
}

/** Returns a list with each request in it replaced; anything else stays as it is. */
function mapRequests(
  value: unknown,
  map: (request: Readonly<Record<string, unknown>>, at: number) => unknown,
): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((item: unknown, at) => (isObject(item) ? map(item, at) : hidden(item)));
}

/** Hides a value where a request was expected. */
function hidden(value: unknown): unknown {
  return value === undefined || value === null ? value : REDACTED;
}

/** Returns a request with its fields that have a mark replaced. */
function mapMarked(
  request: Readonly<Record<string, unknown>>,
  map: (value: unknown, mark: CheckSecretMark) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(request).map(([field, value]) => {
      const mark = REQUEST_MARKS[field];
      return [field, mark ? map(value, mark) : value];
    }),
  );
}

/** Masks a value of any shape, such as the arguments of a tool call: each text under a credential's name, at any depth. */
function maskNamed(value: unknown, isSecret = false): unknown {
  if (typeof value === "string") return isSecret && value !== "" ? REDACTED : maskUrlsIn(value);
  if (Array.isArray(value)) return value.map((item) => maskNamed(item, isSecret));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, maskNamed(item, isSecret || isSecretParameter(name))]),
  );
}

function maskValues(value: unknown, isSecret: (name: string) => boolean): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSecret(name) ? REDACTED : item]),
  );
}
