/** The shape of a check type on the side of whoever configures one: its configuration, and what its runs add to a result. */
import type * as z from "zod";
import type { FamilyMember } from "../base/family.ts";

export interface CheckTypeDefinition<
  Type extends string = string,
  ConfigKey extends string = string,
  ConfigSchema extends z.ZodType = z.ZodType,
  MonitorFields extends z.ZodRawShape = z.ZodRawShape,
  InheritedField extends string = string,
  DetailFields extends z.ZodRawShape = z.ZodRawShape,
> extends FamilyMember {
  readonly type: Type;
  /** A phrase that says what a check of this type does. */
  readonly summary: string;
  /** The field of `POST /api/checks` that holds the configuration. */
  readonly configKey: ConfigKey;
  readonly configSchema: ConfigSchema;
  /** Fields of a monitor of this type in svc.config.yaml, beside those that all monitors have. None has a default. */
  readonly monitorFields: MonitorFields;
  /** What to say about a field that a monitor of this type does not take, by the field's name. */
  readonly monitorHints?: Readonly<Record<string, string>>;
  /** Those of `monitorFields` that `defaults` of svc.config.yaml can set for all monitors of the type. */
  readonly inheritedFields: readonly (InheritedField & keyof MonitorFields)[];
  /** Schemas of the details that a run of this type adds to a result, by their names there. */
  readonly detailFields: DetailFields;
}

/** Returns the definition of a check type. Its probe has a folder of the type's name in the probes package. */
export function defineCheckType<
  const Type extends string,
  const ConfigKey extends string,
  ConfigSchema extends z.ZodType,
  MonitorFields extends z.ZodRawShape,
  DetailFields extends z.ZodRawShape,
  const InheritedField extends string = never,
>(
  definition: CheckTypeDefinition<Type, ConfigKey, ConfigSchema, MonitorFields, InheritedField, DetailFields>,
): CheckTypeDefinition<Type, ConfigKey, ConfigSchema, MonitorFields, InheritedField, DetailFields> {
  return definition;
}
