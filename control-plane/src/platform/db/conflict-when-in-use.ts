import { DomainError } from "@svc/contract";
import { isUniqueViolation } from "./errors.ts";

/** A record whose name is unique within its team. */
export interface UniquelyNamed {
  /** The kind of record in a sentence, e.g. `location`. */
  noun: string;
  /** Name that is written; undefined when the write changes other fields only. */
  name: string | undefined;
  /** Sentence that follows the message of a conflict and names the caller's way out. */
  advice?: string;
}

/**
 * Runs a write of a record whose name is unique within its team.
 * @throws DomainError `conflict` when another record has the name; any other error of `write` as it is
 */
export async function conflictWhenInUse<T>(
  { noun, name, advice }: UniquelyNamed,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = `A ${noun} named "${name}" already exists`;
    throw new DomainError("conflict", advice ? `${message}; ${advice}` : message, { cause: error });
  }
}
