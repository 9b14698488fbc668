/**
 * Address and key of the control plane: from flags, the environment, or the file ~/.svc/credentials, readable by its
 * owner only.
 */
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, posix, win32 } from "node:path";
import { isLoopbackHost } from "@svc/contract";
import * as z from "zod";
import { CliError, generalError } from "./cli-error.ts";
import type { System } from "./system.ts";

/** Address that a service on this machine listens at by default. */
const DEFAULT_API_URL = "http://127.0.0.1:8080";

const credentialsSchema = z.object({
  apiUrl: z.url({ protocol: /^https?$/ }).optional(),
  apiKey: z.string().min(1),
  createdAt: z.string().optional(),
});
/** Contents of the file of credentials. */
export type Credentials = z.infer<typeof credentialsSchema>;

/** The system's parts that the file's path depends on. */
type Home = Pick<System, "homeFolder" | "platform">;

/** Returns the path of the credentials file; on Windows below the person's profile, which others can't read. */
export function credentialsPath({ homeFolder, platform }: Home): string {
  return (platform === "win32" ? win32 : posix).join(homeFolder, ".svc", "credentials");
}

/**
 * Reads the file; undefined when there is none.
 * @throws CliError when the file can't be read or is damaged
 */
export function readCredentials(system: Home): Credentials | undefined {
  const path = credentialsPath(system);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CliError("auth_failure", `${path} can't be read`, { cause: error });
  }
  try {
    return credentialsSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new CliError("auth_failure", `${path} is damaged`, {
      hint: "Run: svc login --force",
      cause: error,
    });
  }
}

/** True when others than its owner may read the file. On Windows the mode says nothing: who may read follows from the profile. */
export function isReadableByOthers(system: Home): boolean {
  try {
    return system.platform !== "win32" && (statSync(credentialsPath(system)).mode & 0o077) !== 0;
  } catch {
    return false;
  }
}

/**
 * Creates the folder of the file, for its owner only.
 * @throws CliError when the folder can't be created or written to
 */
export function prepareCredentialsFolder(system: Home): void {
  const folder = dirname(credentialsPath(system));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new CliError("general_error", `the credentials can't be stored: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/**
 * Writes the file whole or not at all, mode 0600, in a folder that only its owner may enter.
 * @returns the path of the file
 */
export function writeCredentials(system: Home, credentials: Credentials): string {
  prepareCredentialsFolder(system);
  const path = credentialsPath(system);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return path;
}

/**
 * Removes the file.
 * @returns false when there was none
 */
export function removeCredentials(system: Home): boolean {
  const path = credentialsPath(system);
  try {
    rmSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/**
 * Returns the address without a trailing slash: --api-url, else SVC_API_URL, else the file's, else
 * {@link DEFAULT_API_URL}.
 */
export function resolveApiUrl(system: System, flag: string | undefined): string {
  if (flag !== undefined) return checkedUrl(flag, "--api-url");
  const fromEnvironment = system.env.SVC_API_URL?.trim();
  if (fromEnvironment) return checkedUrl(fromEnvironment, "SVC_API_URL");
  // A damaged file is reported when the key is read; a command that needs no key works without the file.
  const stored = ignoringDamage(() => readCredentials(system)?.apiUrl);
  return stored ? checkedUrl(stored, credentialsPath(system)) : DEFAULT_API_URL;
}

/**
 * Returns the key for the address: SVC_API_KEY, else the file's. The file's key goes only to the origin that it was
 * made for, so that an `SVC_API_URL` which came with somebody's repository can't collect it; one whose file names no
 * address goes only to this machine.
 * @throws CliError auth_failure when neither is there, or the file's key is for another origin
 */
export function resolveApiKey(
  system: System,
  apiUrl: string,
): { apiKey: string; source: "environment" | "file" } {
  const fromEnvironment = system.env.SVC_API_KEY?.trim();
  if (fromEnvironment) return { apiKey: checkedKey(fromEnvironment, "SVC_API_KEY"), source: "environment" };
  const stored = readCredentials(system);
  if (stored) {
    assertMadeFor(stored, apiUrl, credentialsPath(system));
    return { apiKey: checkedKey(stored.apiKey, credentialsPath(system)), source: "file" };
  }
  throw new CliError("auth_failure", "You are not logged in", {
    hint: "Run: svc login   (or set SVC_API_KEY to a key made in the dashboard, e.g. in CI)",
  });
}

function assertMadeFor(stored: Credentials, apiUrl: string, path: string): void {
  const { origin, hostname } = new URL(apiUrl);
  if (stored.apiUrl === undefined ? isLoopbackHost(hostname) : new URL(stored.apiUrl).origin === origin)
    return;
  const home = stored.apiUrl === undefined ? "no address" : new URL(stored.apiUrl).origin;
  throw new CliError("auth_failure", `The key in ${path} was made for ${home} and isn't sent to ${origin}`, {
    hint: `Run: svc login --force --api-url ${origin}   (or set SVC_API_KEY to a key of that service)`,
  });
}

function checkedUrl(text: string, where: string): string {
  const isUsable = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (!isUsable) throw generalError(`${where} is not an http:// or https:// address: ${text}`);
  const { username, password } = new URL(text);
  if (username !== "" || password !== "")
    throw generalError(
      `${where} holds a user name or a password`,
      "The API takes a key: svc login, or SVC_API_KEY",
    );
  return text.replace(/\/+$/, "");
}

/** Refuses text that can't be a header's value, and so no key; the message doesn't show it. */
function checkedKey(key: string, where: string): string {
  if (!/^[!-~]+$/.test(key))
    throw new CliError("auth_failure", `${where} holds something that is not an API key`, {
      hint: "A key begins with sk_ and has no spaces",
    });
  return key;
}

function ignoringDamage<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
