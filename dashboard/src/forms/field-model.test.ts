import {
  createAlertRuleSchema,
  createChannelSchema,
  createCheckSchema,
  createMaintenanceWindowSchema,
  createSloSchema,
  pushedTraitsOf,
} from "@svc/contract";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type Field, fieldOf, type NamedField } from "./field-model.ts";
import { problemsOfDraft } from "./problems.ts";
import { startOf } from "./start-values.ts";

function fieldsWithin(field: Field): Field[] {
  switch (field.kind) {
    case "group":
      return [field, ...field.fields.flatMap(fieldsWithin)];
    case "variants":
      return [field, ...field.variants.flatMap(({ fields }) => fields.flatMap(fieldsWithin))];
    case "list":
      return [field, ...fieldsWithin(field.item)];
    case "pairs":
      return [field, ...fieldsWithin(field.value)];
    default:
      return [field];
  }
}

describe("the fields of a schema", () => {
  it("are required, nullable and preset as the schema says, with its description", () => {
    const schema = z.object({
      a: z.string().max(10).describe("The first."),
      b: z.int().min(1).max(9).default(3),
      c: z.enum(["x", "y"]).nullable().optional(),
      d: z.unknown().optional().meta({ readOnly: true }),
      e: z.array(z.enum(["m", "n"])),
    });
    expect(fieldOf(schema)).toMatchObject({
      kind: "group",
      fields: [
        { name: "a", kind: "text", charactersMax: 10, isLong: false, hint: "The first.", isRequired: true },
        { name: "b", kind: "number", isWhole: true, min: 1, max: 9, preset: 3, isRequired: false },
        { name: "c", kind: "choice", values: ["x", "y"], isNullable: true, isRequired: false },
        { name: "e", kind: "list", isSet: true },
      ],
    });
  });

  it.each([
    ["a check", createCheckSchema],
    ["an alert rule", createAlertRuleSchema],
    ["a channel", createChannelSchema],
    ["an SLO", createSloSchema],
    ["a maintenance window", createMaintenanceWindowSchema],
  ])("of %s can all be drawn: what is no JSON by nature has a kind of its own", (_title, schema) => {
    const fields = fieldsWithin(fieldOf(schema));
    expect(fields.length).toBeGreaterThan(4);
    const free = fields.filter(({ kind }) => kind === "json") as NamedField[];
    const names = free.map(({ name }) => name).filter((name) => name !== undefined);
    // The value that an assertion expects may be any JSON; a window's checks, all or some, have a component of their own; where nothing
    // is tried again, `retry` is null, and the editor doesn't show it.
    const known = ["value", "checkIds", "retry"];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe("the start of a draft", () => {
  it("has problems only where somebody has to say something", () => {
    const check = fieldOf(createCheckSchema);
    if (check.kind !== "variants") throw new Error("checks are distinguished by their type");
    for (const { value, fields } of check.variants) {
      const draft = {
        type: value,
        name: "Shop",
        ...(!pushedTraitsOf(value) && { locations: ["loc_us_east"] }),
        ...Object.fromEntries(
          fields.filter(({ name }) => name.endsWith("Config")).map((field) => [field.name, startOf(field)]),
        ),
      };
      const problems = problemsOfDraft(createCheckSchema, draft).map(({ path }) => path.at(-1));
      const asked = ["url", "endpoint", "script", "host", "port", "domain", "steps", "name", "periodSeconds"];
      expect([value, problems.filter((field) => !asked.includes(String(field)))]).toEqual([value, []]);
      expect([value, problems.length > 0]).toEqual([value, true]);
    }
  });
});
