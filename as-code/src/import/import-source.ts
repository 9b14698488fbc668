/** The shape of an import source: another tool, and how its export is turned into monitors of ours. */
import type { FamilyMember } from "@svc/contract";
import type { ImportDraft } from "./draft.ts";
import type { Item } from "./item.ts";

/** One tool that monitors can be imported from. */
export interface ImportSource<Type extends string = string> extends FamilyMember {
  /** The name that `--from` has. */
  readonly type: Type;
  /** Name of the tool, for people. */
  readonly title: string;
  /** Describes an export as a noun phrase: completes "expected ...". */
  readonly expects: string;
  /** True when the value of a file is one of the tool's. Sources are distinguished by it, so it looks at what the tool alone has. */
  recognises(root: Item): boolean;
  /**
   * Adds the monitors and channels of the files, and notes on what is not carried over, to the draft. Pure but for the draft. Never
   * throws for what a file holds: each part of it may be missing or anything else.
   * @param roots the values of the files that {@link recognises} accepted, in the order of their names
   */
  convert(roots: readonly Item[], draft: ImportDraft): void;
}

/** Returns the source; exists for its types. */
export function defineImportSource<const Type extends string>(
  source: ImportSource<Type>,
): ImportSource<Type> {
  return source;
}
