/** Hashes what was applied. The hash can be kept anywhere: credentials and known secrets are masked before. */

import { createHash } from "node:crypto";
import { type DeployedKind, maskChannelConfig, maskCheckConfig, secretMarksOf } from "@svc/contract";
import { canonicalJson } from "../canonical-json.ts";
import type { Fields } from "./compared-fields.ts";
import type { Secrets } from "./secrets.ts";

/** Returns the SHA-256 of the fields, in hexadecimal; equal for equal fields, whatever their secrets are. */
export function fingerprint(kind: DeployedKind, fields: Fields, secrets: Secrets): string {
  const masked = secrets.redactDeep(maskFields(kind, fields));
  return createHash("sha256").update(canonicalJson(masked)).digest("hex");
}

function maskFields(kind: DeployedKind, fields: Fields): Fields {
  if (kind === "channel") return maskChannelConfig(fields);
  if (kind === "status_page") {
    // The hashes of former deploys were made with the field's former name.
    const { isPublished: published, ...rest } = fields;
    return { ...rest, published };
  }
  if (kind !== "check") return fields;
  // The hashes of former deploys don't cover the type, which never changes.
  const { type, ...rest } = fields;
  const marks = secretMarksOf(String(type));
  const isContent = (field: string) => marks[field] === "content";
  const shown = Object.entries(rest).filter(([field]) => !isContent(field));
  return {
    ...maskCheckConfig(String(type), Object.fromEntries(shown)),
    content: createHash("sha256")
      .update([contentOf(rest, isContent), ...bodiesOf(rest, marks)].join("\n"))
      .digest("hex"),
  };
}

/**
 * Fields that begin the text of contents for every check, with or without them: the hashes of former deploys were made
 * so.
 */
const FIRST_CONTENT = ["body", "script"];

/** Returns the contents, which are not shown but whose change has to change the hash, as one text. */
function contentOf(fields: Fields, isContent: (field: string) => boolean): string {
  const others = Object.keys(fields).filter((field) => isContent(field) && !FIRST_CONTENT.includes(field));
  return [...FIRST_CONTENT, ...others.sort()]
    .map((field) => fields[field])
    .map(String)
    .join("\n");
}

/** Returns the bodies of the requests that a check has in a list. */
function bodiesOf(fields: Fields, marks: ReturnType<typeof secretMarksOf>): string[] {
  return Object.entries(fields).flatMap(([field, value]) =>
    marks[field] === "requests" && Array.isArray(value)
      ? value.map((request: { body?: unknown }) => JSON.stringify(request.body ?? null))
      : [],
  );
}
