/** Which checks began or ceased to fail between two looks at the team. */
import type { CheckHealth } from "@svc/contract";
import { checkStates } from "../status/words.ts";
import type { ChangedCheck } from "./announcer.ts";

/** A check that fails, as the overview lists it. */
interface Failing {
  id: string;
  name: string;
}

/**
 * Finds changes in the overview's lists of failing checks, and knows from the stream how checks stand that left the list. Whichever of
 * the two comes first: a check that left is a change once both have come.
 */
export class ChangedChecks {
  readonly #healthOf = new Map<string, CheckHealth["health"]>();
  /** Checks that left the list while the stream still said that they fail. */
  readonly #left = new Map<string, Failing>();
  /** Checks that came into the list while the stream still said that they are healthy. */
  readonly #came = new Map<string, Failing>();
  #failing: readonly Failing[] | undefined;

  /** Notes the health that the stream says. @returns the checks that had come into the list, or had left it, before */
  note(states: readonly { checkId: string; health: CheckHealth["health"] }[]): ChangedCheck[] {
    return states.flatMap(({ checkId, health }) => {
      this.#healthOf.set(checkId, health);
      const waiting = health === "unhealthy" ? this.#came : this.#left;
      const check = waiting.get(checkId);
      waiting.delete(checkId);
      return check ? [changed(check, health)] : [];
    });
  }

  /**
   * Returns what changed since the list before: checks that are new in it, and those that left it and of which the stream has said that
   * they don't fail. One that was deleted, or for which the list is too short, is no change.
   */
  since(failing: readonly Failing[]): ChangedCheck[] {
    const before = this.#failing;
    this.#failing = failing;
    if (before === undefined) return [];
    const known = new Set(before.map(({ id }) => id));
    const failingIds = new Set(failing.map(({ id }) => id));
    const began = failing.flatMap((check) => {
      if (known.has(check.id)) return [];
      // A list from before the check left it, which the service had kept, names it once more.
      if (this.#left.delete(check.id)) return [];
      if (this.#healthOf.get(check.id) !== "healthy") return [changed(check, "unhealthy")];
      this.#came.set(check.id, check);
      return [];
    });
    const ceased = before.flatMap((check) => {
      const health = this.#healthOf.get(check.id);
      if (failingIds.has(check.id) || this.#came.delete(check.id)) return [];
      if (health !== undefined && health !== "unhealthy") return [changed(check, health)];
      this.#left.set(check.id, check);
      return [];
    });
    return [...began, ...ceased];
  }
}

function changed({ id, name }: Failing, health: CheckHealth["health"]): ChangedCheck {
  return { checkId: id, name, word: checkStates[health].word };
}
