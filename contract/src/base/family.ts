/**
 * The one shape of every registry of a family (check types, assertions, conditions, channels, ...). A member is one file
 * that exports a definition with its `type`; the registry file imports it and lists it in {@link defineFamily}. Everything
 * else asks the family, so that no other file names a member.
 */

/** A definition that can be listed in a family: an object that knows its type name. */
export interface FamilyMember {
  readonly type: string;
}

/** A closed set of definitions, in the order in which they are listed, shown and documented. */
export interface Family<Member extends FamilyMember> {
  /** The family's name in messages, in the singular: "condition". */
  readonly title: string;
  readonly members: readonly Member[];
  /** Type names of the members, in their order. */
  readonly types: readonly [Member["type"], ...Member["type"][]];
  /** Returns the member with this type name, or undefined. */
  find(type: string): Member | undefined;
  /**
   * Returns the member with this type name.
   * @throws Error when there is none: the caller's input was not validated against the family
   */
  get(type: Member["type"]): Member;
  /** Returns a family with these members added; for tests and for programs that bring members of their own. */
  with<More extends FamilyMember>(...more: readonly More[]): Family<Member | More>;
}

/**
 * Makes a family of these members.
 * @param title the family's name in the singular, for messages
 * @throws Error when the list is empty or two members have one type name
 */
export function defineFamily<const Members extends readonly FamilyMember[]>(
  title: string,
  members: Members,
): Family<Members[number]> {
  type Member = Members[number];
  const byType = new Map<string, Member>(members.map((member) => [member.type, member]));
  if (byType.size !== members.length) throw new Error(`two members of the family "${title}" have one type`);
  const [first, ...others] = members.map((member) => member.type as Member["type"]);
  if (first === undefined) throw new Error(`the family "${title}" has no members`);
  return {
    title,
    members,
    types: [first, ...others],
    find: (type) => byType.get(type),
    get: (type) => {
      const member = byType.get(type);
      if (!member) throw new Error(`no ${title} of type ${type}`);
      return member;
    },
    with: (...more) => defineFamily(title, [...members, ...more]),
  };
}
