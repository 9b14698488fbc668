/**
 * References to a team's secrets: `{{vault.NAME}}` in any text of a check's configuration stands for the secret's value. The
 * service stores the reference; an agent puts the value in its place when it runs the check. Pure.
 */
import * as z from "zod";
import { isObject } from "./is-object.ts";

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Matches a reference. The name may be an invalid one. */
const REFERENCE = /\{\{\s*vault\.([^\s{}]*)\s*\}\}/g;

/** Schema of the name of a team's secret. */
export const vaultNameSchema = z
  .string()
  .regex(
    NAME,
    "a name begins with a letter or _, continues with letters, digits and _, and has at most 64 characters",
  );

/** A reference, and the field that it stands in. */
export interface VaultReference {
  /** Path of the field: `headers.Authorization`, `testCalls[0].arguments.token`. */
  path: string;
  /** The name as it is written, which may be none that a secret can have. */
  name: string;
  /** True when the reference stands in the name of a field, where it is not replaced. */
  isInName: boolean;
}

/** Lists the references in a value of JSON, at any depth, in their order. */
export function vaultReferencesIn(value: unknown): VaultReference[] {
  const found: VaultReference[] = [];
  collect(value, "", found);
  return found;
}

/** Lists the names of the secrets that a value of JSON refers to, each once, in alphabetical order. */
export function vaultNamesIn(value: unknown): string[] {
  return [...new Set(vaultReferencesIn(value).map(({ name }) => name))].sort();
}

/** True when a secret can have this name. */
export function isVaultName(name: string): boolean {
  return NAME.test(name);
}

/**
 * Returns a text with its references replaced.
 * @param valueOfName returns the text that stands for a name
 */
export function replaceVaultReferences(text: string, valueOfName: (name: string) => string): string {
  if (!text.includes("{{")) return text;
  return text.replace(REFERENCE, (_matched, name: string) => valueOfName(name));
}

function collect(value: unknown, path: string, found: VaultReference[]): void {
  if (typeof value === "string")
    for (const name of namesIn(value)) found.push({ path, name, isInName: false });
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) collect(item, `${path}[${index}]`, found);
  else if (isObject(value))
    for (const [field, item] of Object.entries(value)) {
      const fieldPath = path === "" ? field : `${path}.${field}`;
      for (const name of namesIn(field)) found.push({ path: fieldPath, name, isInName: true });
      collect(item, fieldPath, found);
    }
}

function namesIn(text: string): string[] {
  if (!text.includes("{{")) return [];
  return [...text.matchAll(REFERENCE)].map(([, name = ""]) => name);
}
