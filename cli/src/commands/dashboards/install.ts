/**
 * Writes prebuilt dashboards over the exported log records to files, or installs them in the backend: `svc dashboards
 * install`.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { nearestName } from "@svc/contract";
import { type Backend, identifierOf } from "../../packs/backends/backend.ts";
import { BACKENDS, type BackendId } from "../../packs/backends/registry.ts";
import type { Pack } from "../../packs/pack.ts";
import { PACK_IDS, PACKS } from "../../packs/registry.ts";
import { CliError, generalError } from "../../runtime/cli-error.ts";
import { defineCommand } from "../../runtime/command.ts";
import type { Context } from "../../runtime/context.ts";
import { commaList } from "../../runtime/option-values.ts";

interface Options {
  backend: BackendId;
  packs?: string[];
  output?: string;
  url?: string;
  token?: string;
  force?: boolean;
}

interface Selection {
  backend: Backend;
  packs: readonly Pack[];
  /** True when files or dashboards that exist may be replaced. */
  isForced: boolean;
}

interface BackendApi {
  url: string;
  token: string | undefined;
}

interface Installed {
  pack: string;
  /** The file, or the address of the backend. */
  where: string;
}

const TIMEOUT_MS = 30_000;
const TOKEN_VARIABLE = "SVC_DASHBOARDS_TOKEN";

/** Defines `svc dashboards install`. Needs either `--output` or `--url`. */
export const command = defineCommand<Options>({
  summary: "install prebuilt dashboards into an observability backend",
  answers: async () => (await import("../../answers/dashboards.ts")).dashboardsInstall,
  options: [
    {
      flags: "--backend <name>",
      description: "where they are for",
      choices: Object.keys(BACKENDS),
      default: "grafana",
    },
    {
      flags: "--packs <ids>",
      description: `comma-separated: ${PACK_IDS.join(", ")} (default: all)`,
      parse: commaList,
    },
    { flags: "--output <folder>", description: "write a file per pack there" },
    { flags: "--url <url>", description: "install them by the backend's API at this address" },
    {
      flags: "--token <token>",
      description: `key for that API (better: ${TOKEN_VARIABLE} in the environment)`,
    },
    { flags: "--force", description: "replace what is there" },
  ],
  examples: [
    "dashboards install --output ./dashboards",
    "dashboards install --packs overview,slo --url https://grafana.example.com",
    "dashboards install --backend kibana --output ./kibana --force",
  ],
  async run(context, { backend: id, packs: typed, output, url, token, force = false }) {
    const selection = { backend: BACKENDS[id], packs: choosePacks(typed), isForced: force };
    if ((output === undefined) === (url === undefined))
      throw generalError("give one of --output <folder> and --url <url>");
    const installed =
      url === undefined
        ? writeFiles(context, selection, resolve(context.system.cwd, output as string))
        : await push(context, selection, { url, token });
    return {
      data: { backend: id, installed },
      print: (out) => {
        for (const { pack, where } of installed) out.line(`${pack}: ${out.text(where)}`);
      },
    };
  },
});

function choosePacks(typed: readonly string[] | undefined): readonly Pack[] {
  if (typed === undefined || typed.length === 0) return PACKS;
  const unknown = typed.find((id) => !PACK_IDS.includes(id));
  if (unknown === undefined) return PACKS.filter(({ id }) => typed.includes(id));
  const nearest = nearestName(unknown, PACK_IDS);
  throw generalError(
    `--packs: there is no pack "${unknown}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`,
    `Packs: ${PACK_IDS.join(", ")}`,
  );
}

function writeFiles({ out }: Context, { backend, packs, isForced }: Selection, folder: string): Installed[] {
  const files = packs.map((pack) => ({
    pack,
    path: join(folder, `${identifierOf(pack)}.${backend.extension}`),
  }));
  const existing = files.filter(({ path }) => existsSync(path));
  if (existing.length > 0 && !isForced)
    throw generalError(
      `${existing.map(({ path }) => path).join(", ")} ${existing.length === 1 ? "exists" : "exist"}; nothing was written`,
      "Give --force to replace them",
    );
  try {
    mkdirSync(folder, { recursive: true });
    for (const { pack, path } of files) writeFileSync(path, backend.render(pack));
  } catch (error) {
    throw generalError(`--output: ${(error as Error).message}`);
  }
  out.info(`Import them in ${backend.name}.`);
  return files.map(({ pack, path }) => ({ pack: pack.id, where: path }));
}

async function push(context: Context, selection: Selection, api: BackendApi): Promise<Installed[]> {
  const { out, system } = context;
  const { backend, packs, isForced } = selection;
  const { token = system.env[TOKEN_VARIABLE] } = api;
  if (token) out.secrets.add(token);
  const address = addressOf(api.url);
  const installed: Installed[] = [];
  for (const pack of packs) {
    out.progress(`Installing ${pack.id}...`);
    const refusal = await pushOne(context, backend, {
      address,
      ...backend.request(backend.render(pack), { token, overwrite: isForced }),
    });
    if (refusal !== undefined)
      throw new CliError(
        installed.length > 0 ? "partial_failure" : "general_error",
        `${backend.name} did not take the pack ${pack.id}: ${refusal}`,
        { details: { installed } },
      );
    installed.push({ pack: pack.id, where: address });
  }
  return installed;
}

/** Sends one pack and returns why the backend refused it, or undefined when it took it. */
async function pushOne(
  { system, signal }: Context,
  backend: Backend,
  { address, path, init }: ReturnType<Backend["request"]> & { address: string },
): Promise<string | undefined> {
  try {
    const response = await (system.fetch ?? fetch)(`${address}${path}`, {
      ...init,
      // No redirects: the key goes to the given address and to no other.
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return backend.refusal(response.status, await response.text());
  } catch (error) {
    if (signal.aborted) throw error;
    const cause = (error as Error).cause;
    return cause instanceof Error ? cause.message : (error as Error).message;
  }
}

function addressOf(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw generalError(`--url is not an http:// or https:// address: ${text}`);
  return text.replace(/\/+$/, "");
}
