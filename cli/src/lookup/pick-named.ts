/** Finds the one thing that a typed id or name means. */
import { nearestName } from "@svc/contract";
import { CliError } from "../runtime/cli-error.ts";

/** A thing that people may name. */
export interface Named {
  id: string;
  name: string | null;
}

/**
 * Returns the thing with the id, else the one with the name (exactly, else in any case).
 * @param kind word for the things, for messages: `monitor`
 * @throws CliError when there is none, naming the nearest, or several, naming their ids
 */
export function pickNamed<T extends Named>(kind: string, typed: string, all: readonly T[]): T {
  const byId = all.find(({ id }) => id === typed);
  if (byId) return byId;
  const exact = all.filter(({ name }) => name === typed);
  const found =
    exact.length > 0 ? exact : all.filter(({ name }) => name?.toLowerCase() === typed.toLowerCase());
  const [first] = found;
  if (first && found.length === 1) return first;
  if (first)
    throw new CliError("general_error", `${found.length} ${kind}s are named "${typed}"; give the id`, {
      hint: found.map(({ id }) => `  ${id}`).join("\n"),
      details: { ids: found.map(({ id }) => id) },
    });
  const nearest = nearestName(
    typed,
    all.flatMap(({ name }) => name ?? []),
  );
  throw new CliError(
    "general_error",
    `no ${kind} "${typed}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`}`,
    { details: nearest === undefined ? {} : { didYouMean: nearest } },
  );
}
