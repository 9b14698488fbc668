/** Settings of a process: what their texts may be, and how they are parsed. */
import type { KeyRole, TeamId } from "@svc/contract";
import * as z from "zod";
import { type DatabaseUse, parseDatabaseUrl } from "./db/database-url.ts";

/** A text that is not empty. */
export const text = z.string().min(1);
/** `true`, `false`, `1` or `0`. */
export const booleanText = z
  .enum(["true", "false", "1", "0"], "expected true or false")
  .transform((given) => given === "true" || given === "1");
/** A TCP port; 0: any that is free. */
export const port = z.coerce
  .number("expected a port number")
  .int()
  .min(0, "smallest is 0")
  .max(65_535, "largest is 65535");
/** A whole number. */
export const wholeNumber = z.coerce.number("expected a whole number").int();
/** A whole number from 1. */
export const positiveInteger = wholeNumber.min(1, "smallest is 1");
/** Connections of a pool, from 2. */
export const poolSize = wholeNumber.min(2, "smallest is 2");
/** `allow` or `deny`. */
export const allowOrDeny = z.enum(["allow", "deny"], "expected allow or deny");
/** A URL. */
export const url = z.url("expected a URL");
/** Matches `example.com=team_01...:viewer`; the role may be left out. Nobody becomes an owner by a domain. */
const OIDC_DOMAIN = /^([a-z0-9.-]+\.[a-z0-9-]+)=(team_[0-9a-z]{26})(?::(member|viewer))?$/;
/** Domains of mail addresses, each with the team and the role that it gives: `example.com=team_01...:viewer`. */
export const oidcDomains = z.string().transform((list, context) =>
  list.split(",").map((entry) => {
    const [, domain, teamId, role = "member"] = OIDC_DOMAIN.exec(entry.trim().toLowerCase()) ?? [];
    if (!domain || !teamId) {
      context.addIssue(
        "expected a list such as example.com=team_01...:viewer, with the role member or viewer",
      );
      return z.NEVER;
    }
    return { domain, teamId: teamId as TeamId, role: role as KeyRole };
  }),
);
/** A URL of a database, for this use of it. */
export const databaseUrl = (use: DatabaseUse) =>
  z.string().superRefine((given, context) => {
    try {
      parseDatabaseUrl(given, use);
    } catch (error) {
      context.addIssue((error as Error).message);
    }
  });
/** A key of at least 32 characters. */
export const secretKey = z.string().min(32, "expected at least 32 characters");

/** A setting: the environment variable that holds it, and the schema of its text. */
export interface Setting<Schema extends z.ZodType> {
  variable: string;
  schema: Schema;
}

/** Returns the setting that a variable holds. */
export function setting<Schema extends z.ZodType>(variable: string, schema: Schema): Setting<Schema> {
  return { variable, schema };
}

/** Parses the variables of these settings and adds a line to `issues` for each bad one. */
export function parseSettings(
  settings: Record<string, Setting<z.ZodType>>,
  environment: Record<string, string | undefined>,
  issues: string[],
): Record<string, unknown> {
  const parsed = Object.entries(settings).map(([field, { variable, schema }]) => {
    const result = schema.safeParse(environment[variable] || undefined);
    for (const { message } of result.error?.issues ?? []) issues.push(`${variable}: ${message}`);
    return [field, result.data];
  });
  return Object.fromEntries(parsed);
}
