/** `svc-control-plane api-keys create`: a key for an existing team, made by the operator. */
import { createApiKeySchema, DomainError, notFound, type TeamId } from "@svc/contract";
import { createApiKey } from "../../accounts/api-keys/create-api-key.ts";
import { hasTeam } from "../../accounts/teams/store.ts";
import { commandAuthor } from "./operator.ts";
import { withServices } from "./with-services.ts";

/** Flags of the command. */
export interface CreateKeyOptions {
  team: TeamId;
  name: string;
  role: string;
  /** ISO 8601. */
  expiresAt?: string;
}

/** Makes a key. The answer shows its secret, this once. */
export async function createKeyCommand({ team, ...given }: CreateKeyOptions): Promise<string> {
  const key = createApiKeySchema.safeParse(given);
  if (!key.success)
    throw new DomainError("invalid", key.error.issues.map(({ message }) => message).join("; "));
  return withServices(async (services) => {
    if (!(await hasTeam(services.knex, team))) throw notFound(`Team ${team}`);
    const { id, secret } = await createApiKey({ services, teamId: team, author: commandAuthor() }, key.data);
    return [`id    ${id}`, `key   ${secret}  (shown only now)`].join("\n");
  });
}
