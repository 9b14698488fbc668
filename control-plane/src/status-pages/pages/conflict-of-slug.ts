import { DomainError } from "@svc/contract";
import { isUniqueViolation } from "../../platform/db/errors.ts";

/**
 * Runs a write of a page whose slug is unique over all teams.
 * @throws DomainError `conflict` when another page has the slug; it does not say whose page that is
 */
export async function conflictWhenSlugInUse<T>(
  slug: string | undefined,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new DomainError("conflict", `The slug "${slug}" is in use; slugs are unique over all teams`, {
      cause: error,
    });
  }
}
