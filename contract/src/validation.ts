/** From zod's issues to the error envelope's details. */
import type { z } from "zod";
import { DomainError, type ValidationDetails } from "./errors.ts";

/**
 * Messages grouped by top-level field; a message about something deeper begins with its path
 * (`assertions[0].value: ...`). An unknown top-level field is listed under its own name.
 */
export function validationDetails(error: z.ZodError): ValidationDetails {
  const details: ValidationDetails = { fieldErrors: {}, formErrors: [] };
  for (const issue of error.issues) addIssue(details, issue, []);
  return details;
}

/** Parses `input` or throws a DomainError `invalid` that lists everything wrong at once. */
export function parseOrInvalid<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new DomainError("invalid", "Validation failed", { details: validationDetails(parsed.error) });
}

function addIssue(details: ValidationDetails, issue: z.core.$ZodIssue, parent: PropertyKey[]): void {
  const path = [...parent, ...issue.path];
  if (issue.code === "unrecognized_keys" && path.length === 0) {
    const messages = issue.message.split("; unknown field ");
    issue.keys.forEach((key, i) => {
      const message = messages[i] ?? issue.message;
      push(details.fieldErrors, key, i === 0 ? message : `unknown field ${message}`);
    });
    return;
  }
  const [field, ...rest] = path;
  if (field === undefined) {
    details.formErrors.push(issue.message);
    return;
  }
  const where = pathText(rest);
  push(
    details.fieldErrors,
    String(field),
    where ? `${String(field)}${where}: ${issue.message}` : issue.message,
  );
}

function pathText(path: PropertyKey[]): string {
  return path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
}

function push(fieldErrors: Record<string, string[]>, field: string, message: string): void {
  if (!Object.hasOwn(fieldErrors, field)) fieldErrors[field] = [];
  fieldErrors[field]?.push(message);
}
