/** Hashes what was applied. The hash can be kept anywhere: credentials and known secrets are masked before. */
import { createHash } from "node:crypto";
import { type ChannelConfig, type DeployedKind, maskChannelConfig, maskCheckConfig } from "@svc/contract";
import type { Secrets } from "../output/secrets.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { Fields } from "./compared-fields.ts";

/** Returns the SHA-256 of the fields, in hexadecimal; equal for equal fields, whatever their secrets are. */
export function fingerprint(kind: DeployedKind, fields: Fields, secrets: Secrets): string {
  const masked = secrets.redactDeep(maskFields(kind, fields));
  return createHash("sha256").update(canonicalJson(masked)).digest("hex");
}

function maskFields(kind: DeployedKind, fields: Fields): Fields {
  if (kind === "channel") return maskChannelConfig(fields as unknown as ChannelConfig);
  if (kind !== "check") return fields;
  const { body, script, ...rest } = fields;
  // Bodies and scripts are not shown, but a change of one has to change the hash.
  return {
    ...maskCheckConfig(rest),
    content: createHash("sha256").update(`${body}\n${script}`).digest("hex"),
  };
}
