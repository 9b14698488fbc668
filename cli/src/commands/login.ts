/**
 * Signs in with the browser: `svc login`. Shows a code, waits until a signed-in person confirms it in the browser, and
 * stores the key that the service then makes. No key exists before that; a code that nobody confirms expires.
 */
import { existsSync } from "node:fs";
import type { CreatedApiKey, DeviceCode } from "@svc/contract";
import { generalError } from "../runtime/cli-error.ts";
import { defineCommand } from "../runtime/command.ts";
import type { Context } from "../runtime/context.ts";
import {
  credentialsPath,
  prepareCredentialsFolder,
  readCredentials,
  writeCredentials,
} from "../runtime/credentials.ts";
import { mayReadAgain } from "../runtime/may-retry.ts";

const POLL_TIMEOUT_MS = 10_000;

interface Options {
  force?: boolean;
}

/** Defines `svc login`. Does nothing when credentials are stored already, unless `--force` is given. */
export const command = defineCommand<Options>({
  summary: "sign in with the browser and keep a key for this machine",
  answers: async () => (await import("../answers/account.ts")).login,
  options: [{ flags: "--force", description: "sign in again although there are credentials" }],
  examples: ["login", "login --force", "login --api-url https://svc.example.com"],
  async run(context, { force = false }) {
    const path = credentialsPath(context.system);
    if (existsSync(path) && !force) {
      warnOfDamage(context);
      return {
        data: { alreadyLoggedIn: true, credentialsPath: path },
        print: (out) => out.line(`You are logged in already: ${path} (svc login --force signs in again).`),
      };
    }
    // First of all: a key that can't be stored would be lost.
    prepareCredentialsFolder(context.system);
    const key = await authorizedKey(context);
    const { createdAt } = key;
    const apiUrl = context.apiUrl();
    await keep(context, apiUrl, key);
    if (context.system.env.SVC_API_KEY)
      context.out.warn("SVC_API_KEY is set, and is used instead of these credentials");
    return {
      data: { apiUrl, credentialsPath: path, createdAt },
      print: (out) => out.line(`Logged in to ${apiUrl}. The key is kept in ${path}.`),
    };
  },
});

function warnOfDamage({ system, out }: Context): void {
  try {
    readCredentials(system);
  } catch (error) {
    out.warn(`${(error as Error).message}; run: svc login --force`);
  }
}

async function authorizedKey(context: Context): Promise<CreatedApiKey> {
  const { out, system } = context;
  const code = await context.apiAs(undefined).requestDeviceCode(system.hostName);
  // Ctrl+C doesn't cut this off: the answer may be the key, which the service hands over only once.
  const poller = context.apiAs(undefined, { outlivesInterruption: true, timeoutMs: POLL_TIMEOUT_MS });
  const expiresAtMs = system.nowMs() + code.expiresIn * 1000;
  out.secrets.add(code.deviceCode);
  await showCode(context, code);
  for (;;) {
    if (!(await context.pause(code.interval * 1000))) throw context.signal.reason;
    if (system.nowMs() >= expiresAtMs) throw generalError("the code has expired", "Run svc login again");
    try {
      const key = await poller.pollDeviceCode(code.deviceCode);
      if (key) return key;
    } catch (error) {
      // The person may confirm while the service restarts: the code stays good.
      if (!mayReadAgain(error, "sign_in")) throw error;
      out.verbose(`asking again: ${(error as Error).message}`);
    }
  }
}

async function showCode({ out, system }: Context, { userCode, verificationUrl }: DeviceCode): Promise<void> {
  if (!isWebAddress(verificationUrl))
    throw generalError(`the service gave no address to confirm at: ${verificationUrl}`);
  if (out.isJson)
    out.progressEvent({ event: "awaiting_consent", code: userCode, verification_url: verificationUrl });
  else
    out.prompt(
      `Your code: ${out.colors.bold(out.text(userCode))}\nConfirm it at ${out.text(verificationUrl)}`,
    );
  const isOpened = await system.openBrowser?.(verificationUrl).then(
    () => true,
    () => false,
  );
  out.info(
    isOpened ? "Your browser opens. Waiting for you to authorize..." : "Waiting for you to authorize...",
  );
}

/** True for web pages; nothing else is opened, in particular no file or program of this machine. */
function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** Stores the key. A key that can't be stored is revoked, since nobody has it. */
async function keep(context: Context, apiUrl: string, { secret, createdAt }: CreatedApiKey): Promise<void> {
  context.out.secrets.add(secret);
  try {
    writeCredentials(context.system, { apiUrl, apiKey: secret, createdAt });
  } catch (error) {
    await context
      .apiAs(secret)
      .revokeOwnApiKey()
      .catch(() => context.out.warn("the new key could not be revoked; do so in the dashboard"));
    throw generalError(`the credentials can't be stored: ${(error as Error).message}`);
  }
}
