/**
 * Renders a team's own body of an incident event: a mustache-style template that gives JSON. Templates come from users,
 * so they are compiled and rendered in a job thread (template-jobs.ts), and only constructs that end soon are allowed:
 * values, conditions, and loops within a budget. Partials are refused, because they could call themselves; prototypes
 * and the console are out of reach.
 */
import { firstCharacters, oneLine } from "@svc/contract";
import Handlebars from "handlebars";

/** Values that templates can use, by name. */
export type TemplateContext = Record<
  "eventId" | "eventType" | "incidentId" | "teamId" | "actor" | "occurredAt" | "payload" | "incident",
  unknown
>;

/** The rendered JSON text, or the reason why the template gave none. */
export type RenderedTemplate = { ok: true; text: string } | { ok: false; reason: string };

/** Most tags of a template. The time to read one grows faster than their number. */
const TAGS_MAX = 2_000;
/** Most blocks of a template. The engine compares each with all the blocks before it. */
const BLOCKS_MAX = 200;
/** Compiled templates that a thread keeps; the least recently used one is dropped first. */
const COMPILED_MAX = 200;

/** Most rounds of all loops together. */
const ROUNDS_MAX = 10_000;
/** Most characters of the result. */
const OUTPUT_MAX = 1_000_000;
const REASON_MAX = 300;

/** Renders a template. Never throws: a mistake in the template is the `reason`. */
export function renderTemplate(template: string, context: TemplateContext): RenderedTemplate {
  try {
    Object.assign(spent, { rounds: 0, characters: 0 });
    const text = compiled(template)(context);
    if (text.length > OUTPUT_MAX) return failed(`it renders more than ${OUTPUT_MAX} characters`);
    JSON.parse(text);
    return { ok: true, text };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return failed(error instanceof SyntaxError ? `it does not render valid JSON: ${message}` : message);
  }
}

/**
 * Compiles templates without rendering them.
 * @param templates by name
 * @returns by name why a template exceeds a limit; a mistake that only keeps it from rendering is none
 */
export function checkTemplates(templates: Record<string, string>): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const [name, template] of Object.entries(templates)) {
    try {
      assertHarmless(template);
      // The engine compiles a template at its first rendering only.
      handlebars.precompile(template, { noEscape: true });
    } catch (error) {
      if (error instanceof TemplateTooLarge) problems[name] = error.message;
    }
  }
  return problems;
}

class TemplateTooLarge extends Error {}

function failed(reason: string): RenderedTemplate {
  return { ok: false, reason: firstCharacters(oneLine(reason), REASON_MAX) };
}

/** Rounds and characters of the rendering under way; a thread renders one template at a time. */
const spent = { rounds: 0, characters: 0 };
const handlebars = withinBudget();
const compiledTemplates = new Map<string, Handlebars.TemplateDelegate>();

/** Returns the compiled template, which is remembered. */
function compiled(template: string): Handlebars.TemplateDelegate {
  const known = compiledTemplates.get(template);
  if (!known) assertHarmless(template);
  const usable = known ?? handlebars.compile(template, { noEscape: true });
  compiledTemplates.delete(template);
  compiledTemplates.set(template, usable);
  const oldest = compiledTemplates.keys().next().value;
  if (compiledTemplates.size > COMPILED_MAX && oldest !== undefined) compiledTemplates.delete(oldest);
  return usable;
}

/** Returns an engine that counts rounds and characters. Blocks over lists use `each`, too. */
function withinBudget(): typeof Handlebars {
  const engine = Handlebars.create();
  const each = engine.helpers.each as Handlebars.HelperDelegate;
  engine.registerHelper("each", function (this: unknown, list: unknown, options: Handlebars.HelperOptions) {
    const fn: Handlebars.TemplateDelegate = (...round) => {
      if (++spent.rounds > ROUNDS_MAX) throw new Error(`its loops take more than ${ROUNDS_MAX} rounds`);
      return counted(options.fn(...round));
    };
    return each.call(this, list, { ...options, fn });
  });
  engine.registerHelper("jsonBody", (value: unknown) => counted(JSON.stringify(value ?? null)));
  engine.registerHelper("log", () => "");
  return engine;
}

/** @throws Error when the rendering has become too long */
function counted(text: string): string {
  spent.characters += text.length;
  if (spent.characters > OUTPUT_MAX) throw new Error(`it renders more than ${OUTPUT_MAX} characters`);
  return text;
}

/** @throws Error when the template does not parse, is too large, or uses partials or decorators */
function assertHarmless(template: string): void {
  const tags = template.split("{{").length - 1;
  if (tags > TAGS_MAX)
    throw new TemplateTooLarge(`a template has at most ${TAGS_MAX} tags; this one has ${tags}`);
  const found = new Set<string>();
  let blocks = 0;
  class Finder extends Handlebars.Visitor {
    override BlockStatement(block: hbs.AST.BlockStatement): void {
      blocks++;
      super.BlockStatement(block);
    }
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
  if (blocks > BLOCKS_MAX)
    throw new TemplateTooLarge(`a template has at most ${BLOCKS_MAX} blocks; this one has ${blocks}`);
  if (found.size > 0) throw new Error(`templates can't use ${[...found].join(" or ")}`);
}
