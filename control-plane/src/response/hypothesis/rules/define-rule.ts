/** The shape of a hypothesis rule and of the clues that rules contribute. */
import type { FamilyMember } from "@svc/contract";
import type { HypothesisInput } from "../input.ts";

/** One rule's contribution to a hypothesis. */
export interface Clue {
  /**
   * A possible cause: a sentence without its full stop, and the confidence that the evidence justifies, 0 to 1. Absent when
   * the rule only knows circumstances.
   */
  cause?: { summary: string; confidence: number };
  /** Circumstances that support the hypothesis, each as `<dimension>: <fact>`. */
  ruledIn?: string[];
  /** Explanations that the evidence excludes, each as `<dimension>: <fact>`. */
  ruledOut?: string[];
  /** True when the clue is about a change, not only about what checks see. */
  isChange?: boolean;
}

/** A rule of the hypothesis. Pure: equal inputs give equal clues. */
export interface HypothesisRule<Type extends string = string> extends FamilyMember {
  readonly type: Type;
  /** Returns the rule's clue, or undefined when the rule has nothing to say. */
  look(input: HypothesisInput): Clue | undefined;
}

/** Returns the rule of this name. */
export function defineHypothesisRule<const Type extends string>(
  type: Type,
  look: (input: HypothesisInput) => Clue | undefined,
): HypothesisRule<Type> {
  return { type, look };
}
