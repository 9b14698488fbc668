/** Which checks began or ceased to fail between two looks at the team. */
import type { CheckHealth } from "@svc/contract";
import { checkStates } from "../status/words.ts";
import type { ChangedCheck } from "./announcer.ts";

/** A check that fails, as the overview lists it. */
interface Failing {
  id: string;
  name: string;
}

/** Finds changes in the overview's lists of failing checks, and knows from the stream how checks stand that left the list. */
export class ChangedChecks {
  readonly #healthOf = new Map<string, CheckHealth["health"]>();
  #failing: readonly Failing[] | undefined;

  /** Notes the health that the stream says. */
  note(states: readonly { checkId: string; health: CheckHealth["health"] }[]): void {
    for (const { checkId, health } of states) this.#healthOf.set(checkId, health);
  }

  /**
   * Returns what changed since the list before: checks that are new in it, and those that left it and of which the stream said that
   * they don't fail. One that was deleted, or for which the list is too short, is no change.
   */
  since(failing: readonly Failing[]): ChangedCheck[] {
    const before = this.#failing;
    this.#failing = failing;
    if (before === undefined) return [];
    const known = new Set(before.map(({ id }) => id));
    const failingIds = new Set(failing.map(({ id }) => id));
    const began = failing
      .filter(({ id }) => !known.has(id) && this.#healthOf.get(id) !== "healthy")
      .map((check) => changed(check, "unhealthy"));
    const ceased = before.flatMap((check) => {
      const health = this.#healthOf.get(check.id);
      return failingIds.has(check.id) || health === undefined || health === "unhealthy"
        ? []
        : [changed(check, health)];
    });
    return [...began, ...ceased];
  }
}

function changed({ id, name }: Failing, health: CheckHealth["health"]): ChangedCheck {
  return { checkId: id, name, word: checkStates[health].word };
}
