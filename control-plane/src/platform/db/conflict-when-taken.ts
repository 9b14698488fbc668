import { DomainError } from "@svc/contract";
import { isUniqueViolation } from "./errors.ts";

/**
 * Runs a write of a record whose name is unique within its team.
 * @param message of the conflict, for people, e.g. `A location named "x" already exists`
 * @throws DomainError `conflict` when another record has the name; any other error of `write` as it is
 */
export async function conflictWhenTaken<T>(message: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new DomainError("conflict", message, { cause: error });
  }
}
