/** A hash of what was applied that can be kept anywhere: credentials and values of the secrets list are left out before. */
import { createHash } from "node:crypto";
import { type ChannelConfig, type DeployedKind, maskChannelConfig, maskCheckConfig } from "@svc/contract";
import type { Secrets } from "../output/secrets.ts";
import type { Fields } from "./compared-fields.ts";

export function fingerprint(kind: DeployedKind, fields: Fields, secrets: Secrets): string {
  const masked = secrets.redactDeep(maskFields(kind, fields));
  return createHash("sha256").update(canonicalJson(masked)).digest("hex");
}

function maskFields(kind: DeployedKind, fields: Fields): Fields {
  if (kind === "channel") return maskChannelConfig(fields as unknown as ChannelConfig);
  if (kind !== "check") return fields;
  const { body, script, ...rest } = fields;
  // Content is hidden but not secret: that it changed has to be seen.
  return {
    ...maskCheckConfig(rest),
    content: createHash("sha256").update(`${body}\n${script}`).digest("hex"),
  };
}

/** The same text for equal values, whatever the order of keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
