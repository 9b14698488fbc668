/**
 * Renders a team's own body of an incident event: a mustache-style template that gives JSON. Templates come from users and
 * run in this process, so only constructs that end soon are allowed: values, conditions, and loops within a budget. Partials
 * are refused, because they could call themselves; prototypes and the console are out of reach.
 */
import { oneLine } from "@svc/contract";
import Handlebars from "handlebars";

/** Values that templates can use, by name. */
export type TemplateContext = Record<
  "eventId" | "eventType" | "incidentId" | "teamId" | "actor" | "occurredAt" | "payload" | "incident",
  unknown
>;

type RenderedTemplate = { ok: true; text: string } | { ok: false; reason: string };

/** Most rounds of all loops together. */
const ROUNDS_MAX = 10_000;
/** Most characters of the result. */
const OUTPUT_MAX = 1_000_000;
const REASON_MAX = 300;

/** Renders a template. Never throws: a mistake in the template is the `reason`. */
export function renderTemplate(template: string, context: TemplateContext): RenderedTemplate {
  try {
    const handlebars = withinBudget();
    assertHarmless(template);
    const text = handlebars.compile(template, { noEscape: true })(context);
    if (text.length > OUTPUT_MAX) return failed(`it renders more than ${OUTPUT_MAX} characters`);
    JSON.parse(text);
    return { ok: true, text };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return failed(error instanceof SyntaxError ? `it does not render valid JSON: ${message}` : message);
  }
}

function failed(reason: string): RenderedTemplate {
  return { ok: false, reason: oneLine(reason).slice(0, REASON_MAX) };
}

/** Returns an engine for one rendering that counts rounds and characters. Blocks over lists use `each`, too. */
function withinBudget(): typeof Handlebars {
  const handlebars = Handlebars.create();
  let rounds = 0;
  let written = 0;
  const each = handlebars.helpers.each as Handlebars.HelperDelegate;
  handlebars.registerHelper(
    "each",
    function (this: unknown, list: unknown, options: Handlebars.HelperOptions) {
      const fn: Handlebars.TemplateDelegate = (...round) => {
        if (++rounds > ROUNDS_MAX) throw new Error(`its loops take more than ${ROUNDS_MAX} rounds`);
        return counted(options.fn(...round));
      };
      return each.call(this, list, { ...options, fn });
    },
  );
  handlebars.registerHelper("jsonBody", (value: unknown) => counted(JSON.stringify(value ?? null)));
  handlebars.registerHelper("log", () => "");
  return handlebars;

  function counted(text: string): string {
    written += text.length;
    if (written > OUTPUT_MAX) throw new Error(`it renders more than ${OUTPUT_MAX} characters`);
    return text;
  }
}

/** @throws Error when the template does not parse, or uses partials or decorators */
function assertHarmless(template: string): void {
  const found = new Set<string>();
  class Finder extends Handlebars.Visitor {
    override PartialStatement(): void {
      found.add("partials");
    }
    override PartialBlockStatement(): void {
      found.add("partials");
    }
    override Decorator(): void {
      found.add("decorators");
    }
    override DecoratorBlock(): void {
      found.add("inline partials");
    }
  }
  new Finder().accept(Handlebars.parse(template));
  if (found.size > 0) throw new Error(`templates can't use ${[...found].join(" or ")}`);
}
