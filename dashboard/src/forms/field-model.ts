/**
 * What a schema of the contract asks for, as a tree that a form can be drawn from. A form knows no field by name: a new field or
 * a new member of a family appears by itself.
 */
import type * as z from "zod";
import type { Path } from "./paths.ts";

/** What belongs to a field of any kind. */
interface Common {
  /** False: the field may be absent. */
  isRequired: boolean;
  /** True: the field may be null, which is a setting of its own. */
  isNullable: boolean;
  /** Value that an absent field stands for; undefined: none. */
  preset: unknown;
  /** The schema's own description. */
  hint: string | undefined;
}

/** What a field holds. */
type Content =
  | { kind: "text"; isLong: boolean; charactersMax: number | undefined }
  | { kind: "number"; isWhole: boolean; min: number | undefined; max: number | undefined }
  | { kind: "switch" }
  | { kind: "choice"; values: readonly (string | number)[] }
  | { kind: "constant"; value: unknown }
  | { kind: "group"; fields: readonly NamedField[] }
  | { kind: "variants"; by: string; variants: readonly Variant[] }
  | { kind: "list"; item: Field; isSet: boolean }
  | { kind: "pairs"; value: Field }
  /** Any JSON. */
  | { kind: "json" };

/** A field: what it holds, and whether it must be there. */
export type Field = Common & Content;

/** A field with its name within an object. */
export type NamedField = Field & { name: string };

/** Properties of a component that shows a field of one kind. */
export interface FieldProps<Kind extends Field["kind"]> {
  field: Extract<Field, { kind: Kind }>;
  /** Path of its value in the draft. */
  path: Path;
  label: string;
}

/** One of several kinds of objects, distinguished by the value of one field. */
export interface Variant {
  value: string;
  /** Its name where that is more than the value in words. */
  title: string | undefined;
  fields: readonly NamedField[];
}

/** Characters from which on a text is written over several lines. */
const LONG_TEXT = 20_000;

/** Returns the field that a schema describes. */
export function fieldOf(schema: z.ZodType): Field {
  let inner = schema as unknown as z.core.$ZodTypes;
  const common: Common = { isRequired: true, isNullable: false, preset: undefined, hint: undefined };
  for (;;) {
    common.hint ??= (inner as unknown as z.ZodType).description;
    const { def } = inner._zod;
    if (def.type === "optional") common.isRequired = false;
    else if (def.type === "nullable") common.isNullable = true;
    else if (def.type === "default" || def.type === "prefault") {
      common.isRequired = false;
      common.preset = def.defaultValue;
    } else if (def.type === "pipe") {
      inner = def.in as z.core.$ZodTypes;
      continue;
    } else if (def.type !== "nonoptional" && def.type !== "readonly") break;
    inner = def.innerType as z.core.$ZodTypes;
  }
  return { ...common, ...contentOf(inner) };
}

/** Returns the fields of an object's schema that a person may write, in their order. */
function fieldsOf(schema: z.ZodType): NamedField[] {
  const shape = (schema as z.ZodObject).shape as Record<string, z.ZodType>;
  return Object.entries(shape)
    .filter(([, field]) => field.meta()?.readOnly !== true)
    .map(([name, field]) => ({ ...fieldOf(field), name }));
}

function contentOf(schema: z.core.$ZodTypes): Content {
  const { def } = schema._zod;
  switch (def.type) {
    case "string":
      return textOf(schema);
    case "number":
      return numberOf(schema);
    case "boolean":
      return { kind: "switch" };
    case "enum":
      return { kind: "choice", values: Object.values(def.entries) };
    case "literal":
      return def.values.length === 1
        ? { kind: "constant", value: def.values[0] }
        : { kind: "choice", values: def.values as (string | number)[] };
    case "object":
      return { kind: "group", fields: fieldsOf(schema as unknown as z.ZodType) };
    case "union":
      return unionOf(def);
    case "array":
      return listOf(fieldOf(def.element as z.ZodType));
    case "record":
      return { kind: "pairs", value: fieldOf(def.valueType as z.ZodType) };
    default:
      return { kind: "json" };
  }
}

function listOf(item: Field): Content {
  return { kind: "list", item, isSet: item.kind === "choice" };
}

function textOf(schema: z.core.$ZodTypes): Content {
  const { maxLength } = schema as unknown as z.ZodString;
  const charactersMax = maxLength ?? undefined;
  return { kind: "text", isLong: charactersMax !== undefined && charactersMax > LONG_TEXT, charactersMax };
}

function numberOf(schema: z.core.$ZodTypes): Content {
  const { minValue, maxValue, format } = schema as unknown as z.ZodNumber;
  const bound = (value: number | null) =>
    value === null || !Number.isFinite(value) || Math.abs(value) >= Number.MAX_SAFE_INTEGER
      ? undefined
      : value;
  return {
    kind: "number",
    isWhole: format === "safeint" || format === "int32" || format === "uint32",
    min: bound(minValue),
    max: bound(maxValue),
  };
}

function unionOf(def: z.core.$ZodUnionDef): Content {
  const by = (def as z.core.$ZodDiscriminatedUnionDef).discriminator;
  if (by === undefined) return contentOfPlainUnion(def);
  return {
    kind: "variants",
    by,
    variants: def.options.flatMap((option) => variantsOf(option as z.ZodType, by)),
  };
}

/** Returns what a union holds that one value stands beside, such as the mask beside a secret: that value is written as any other. */
function contentOfPlainUnion({ options }: z.core.$ZodUnionDef): Content {
  const others = options.filter((option) => (option as z.core.$ZodTypes)._zod.def.type !== "literal");
  const [only] = others;
  const content = others.length === 1 && only ? fieldOf(only as z.ZodType) : undefined;
  return content?.kind === "text" ? content : { kind: "json" };
}

/** Returns the variants of an option of a union; several when the option is such a union itself. */
function variantsOf(option: z.ZodType, by: string): Variant[] {
  const inner = (option as unknown as z.core.$ZodTypes)._zod.def;
  if (inner.type === "union") return inner.options.flatMap((one) => variantsOf(one as z.ZodType, by));
  const fields = fieldsOf(option);
  const own = fields.find(({ name }) => name === by);
  const values = own?.kind === "constant" ? [own.value] : own?.kind === "choice" ? own.values : [];
  const others = fields.filter(({ name }) => name !== by);
  const title = (option as z.ZodObject).shape[by]?.meta()?.title as string | undefined;
  return values.map((value) => ({
    value: String(value),
    title: values.length === 1 ? title : undefined,
    fields: others,
  }));
}
