/**
 * Chooses the owners at one location after its runners changed. By rendezvous hashing a runner that came can only win, and one
 * that went only lose: a check location whose owner stayed is compared with the runners that came, and only those of lost
 * owners with all. So a change costs a step per check location instead of one per check location and runner. Pure.
 */
import {
  type AssignableCheckLocation,
  type AssignableRunner,
  bestOf,
  canRun,
  hashOf,
  ownerOf,
} from "./assignment.ts";
import { type FleetRunner, runnerSignature } from "./fleet-runner.ts";

/** Runners of one location. */
export interface LocationRunners {
  /** Those whose lease holds. */
  alive: readonly FleetRunner[];
  /** Those, and the ones that were lost recently. */
  known: readonly FleetRunner[];
}

/**
 * Returns the key of the owner after the change; undefined when no runner can run the check location.
 * @param ownerBefore the key of the owner before; undefined: there was none
 */
type ChooseOwner = (
  checkLocation: AssignableCheckLocation,
  ownerBefore: number | undefined,
) => number | undefined;

/** The properties of a check that decide which runners can run it. */
type CheckKind = Pick<AssignableCheckLocation, "type" | "usesVault">;

/** The choice at one location, from one state of its runners to the next. */
export class OwnerChoice {
  readonly #after: LocationRunners;
  readonly #came: readonly FleetRunner[];
  /** Keys of the runners that went or changed. */
  readonly #went: ReadonlySet<number>;
  /** True when one of the runners does not accept: what it keeps depends on more than the present runners. */
  readonly #isAnyFull: boolean;
  readonly #choices = new Map<string, ChooseOwner>();

  constructor(before: LocationRunners, after: LocationRunners) {
    const signatureBefore = new Map(
      before.alive.map((runner) => [runner.runnerKey, runnerSignature(runner)]),
    );
    const signatureAfter = new Map(after.alive.map((runner) => [runner.runnerKey, runnerSignature(runner)]));
    this.#after = after;
    this.#came = after.alive.filter(
      ({ runnerKey }) => signatureBefore.get(runnerKey) !== signatureAfter.get(runnerKey),
    );
    this.#went = new Set(
      [...signatureBefore.keys()].filter((key) => signatureBefore.get(key) !== signatureAfter.get(key)),
    );
    this.#isAnyFull = [...before.alive, ...after.alive].some((runner) => runner.notAcceptingSinceMs !== null);
  }

  /** Returns the choice for checks of one type, with or without secrets. */
  for(check: CheckKind): ChooseOwner {
    const id = `${check.usesVault} ${check.type}`;
    const known = this.#choices.get(id);
    if (known) return known;
    const choice = this.#chooseFor(check);
    this.#choices.set(id, choice);
    return choice;
  }

  #chooseFor(check: CheckKind): ChooseOwner {
    const { alive, known } = this.#after;
    if (this.#isAnyFull) return (checkLocation) => ownerOf(checkLocation, alive, known)?.runnerKey;
    const eligible = alive.filter((runner) => canRun(runner, check));
    const came = this.#came.filter((runner) => canRun(runner, check));
    const contenders = new Map<number, readonly AssignableRunner[]>();
    for (const runner of eligible)
      if (!this.#went.has(runner.runnerKey)) contenders.set(runner.runnerKey, [runner, ...came]);
    return (checkLocation, ownerBefore) => {
      const stayed = ownerBefore === undefined ? undefined : contenders.get(ownerBefore);
      if (stayed?.length === 1) return ownerBefore;
      return bestOf(stayed ?? eligible, hashOf(checkLocation))?.runnerKey;
    };
  }
}
