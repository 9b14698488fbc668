/**
 * Forgets the stored key, and with --revoke makes it worthless: `svc logout`. The key of the environment is not touched.
 */
import { existsSync } from "node:fs";
import { defineCommand } from "../runtime/command.ts";
import type { Context } from "../runtime/context.ts";
import { credentialsPath, readCredentials, removeCredentials } from "../runtime/credentials.ts";
import { failureOf } from "../runtime/failure.ts";

interface Options {
  revoke?: boolean;
}

/** Result of a logout. All fields are always present. */
interface Logout {
  removed: boolean;
  revoked: boolean;
  /** Why the key may still be valid; null when it isn't, or was not to be revoked. The file is removed in any case. */
  revokeError: string | null;
  credentialsPath: string;
  alreadyLoggedOut?: true;
}

/** Defines `svc logout`. A key that could not be revoked ends with the exit code of a partial failure. */
export const command = defineCommand<Options>({
  summary: "forget the stored key",
  answers: async () => (await import("../answers/account.ts")).logout,
  options: [{ flags: "--revoke", description: "revoke the key, too" }],
  examples: ["logout", "logout --revoke"],
  async run(context, { revoke = false }) {
    const data = await logOut(context, revoke);
    if (context.system.env.SVC_API_KEY) context.out.warn("SVC_API_KEY is set, and is still used");
    return {
      data,
      print: (out) => {
        out.line(sentenceOf(data));
        if (data.revokeError !== null)
          out.warn(`the key was not revoked: ${data.revokeError}; revoke it in the dashboard`);
      },
      ...(data.revokeError === null ? {} : { exit: "partial_failure" as const }),
    };
  },
});

async function logOut(context: Context, revoke: boolean): Promise<Logout> {
  const path = credentialsPath(context.system);
  if (!existsSync(path))
    return {
      removed: false,
      revoked: false,
      revokeError: null,
      credentialsPath: path,
      alreadyLoggedOut: true,
    };
  const revokeError = revoke ? await revokeStoredKey(context) : null;
  return {
    removed: removeCredentials(context.system),
    revoked: revoke && revokeError === null,
    revokeError,
    credentialsPath: path,
  };
}

/**
 * Revokes the stored key.
 * @returns the reason when that failed, else null
 */
async function revokeStoredKey(context: Context): Promise<string | null> {
  let baseUrl: string | undefined;
  try {
    const stored = readCredentials(context.system);
    if (stored === undefined) return "the file is gone";
    // The key is revoked where it was made, whatever service other commands are pointed at.
    // A malformed address of other commands is an error of the revocation; the file is removed nevertheless.
    baseUrl = stored.apiUrl ?? context.apiUrl();
    context.out.secrets.add(stored.apiKey);
    await context.apiAs(stored.apiKey, { baseUrl }).revokeOwnApiKey();
    return null;
  } catch (error) {
    if (context.signal.aborted) throw error;
    return failureOf(error, baseUrl).message;
  }
}

function sentenceOf({ alreadyLoggedOut, revoked, credentialsPath: path }: Logout): string {
  if (alreadyLoggedOut) return `You are not logged in: there is no ${path}.`;
  return revoked ? `Logged out: ${path} is removed, its key revoked.` : `Logged out: ${path} is removed.`;
}
