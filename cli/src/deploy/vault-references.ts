/** Checks the config's references to secrets of the team, `{{vault.NAME}}`, before anything is planned. */

import type { Desired } from "@svc/as-code/config";
import { type ApiClient, ApiError, nearestName, vaultReferencesIn } from "@svc/contract";
import { CliError } from "../runtime/cli-error.ts";

/**
 * Passes when the team has every secret that a monitor refers to. Asks the service only when there are references.
 * @throws CliError naming each monitor, field and secret that is unknown
 */
export async function assertVaultReferences(api: ApiClient, { monitors }: Desired): Promise<void> {
  const references = monitors.flatMap(({ name: monitor, config }) =>
    vaultReferencesIn(config).map((reference) => ({ ...reference, monitor })),
  );
  if (references.length === 0) return;
  const known = await listNames(api);
  const unknown = references.filter(({ name, isInName }) => isInName || !known.includes(name));
  if (unknown.length === 0) return;
  const lines = unknown.map(({ monitor, path, name }) => {
    const nearest = nearestName(name, known);
    return `  ${monitor}: ${path}: there is no secret ${name}${nearest ? `; did you mean ${nearest}?` : ""}`;
  });
  throw new CliError(
    "general_error",
    `the config refers to secrets that the team doesn't have\n${lines.join("\n")}`,
    {
      hint: "Store them first: svc secrets set NAME < file",
      details: { unknownSecrets: unknown.map(({ monitor, path, name }) => ({ monitor, field: path, name })) },
    },
  );
}

async function listNames(api: ApiClient): Promise<string[]> {
  try {
    return (await api.listSecrets()).map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    throw new CliError(
      "general_error",
      "the service is of a version without secrets: {{vault.NAME}} means nothing there",
    );
  }
}
