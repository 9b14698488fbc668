/** Schemas of the members of a family, and the one schema that a family has as a whole. */
import * as z from "zod";
import type { Family, FamilyMember } from "./family.ts";

/** Schema of a member: an object whose `type` is the member's type name. */
export type TypedSchema = z.ZodObject<{ type: z.ZodLiteral<string> } & z.ZodRawShape>;

/** The type name that a member's schema is for. */
type TypeOf<Schema extends TypedSchema> = Schema["shape"]["type"]["value"];

/** A member that users write as an object of its own, validated by the member's schema. */
export interface TypedMember<Schema extends TypedSchema = TypedSchema> extends FamilyMember {
  readonly type: TypeOf<Schema>;
  readonly schema: Schema;
}

/** Schema of a family: an object of any of its members, distinguished by `type`. */
export type FamilySchema<Schema extends TypedSchema> = z.ZodDiscriminatedUnion<[Schema, ...Schema[]], "type">;

/** Returns the definition of a member with the type name that its schema states. */
export function typedMember<Schema extends TypedSchema, Rest extends object>(
  schema: Schema,
  rest: Rest,
): TypedMember<Schema> & Rest {
  return { ...rest, type: schema.shape.type.value, schema };
}

/** Returns the schema that takes an object of any member of the family. */
export function familySchema<Member extends TypedMember>(
  family: Family<Member>,
): FamilySchema<Member["schema"]> {
  const [first, ...others] = family.members.map(({ schema }) => schema as Member["schema"]);
  return z.discriminatedUnion("type", [first as Member["schema"], ...others]);
}
