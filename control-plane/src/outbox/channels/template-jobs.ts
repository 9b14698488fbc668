/** Kinds of jobs about a team's incident templates, which are compiled and rendered in a job thread. */
import { defineThreadJob } from "../../platform/threads/thread-job.ts";
import type { RenderedTemplate, TemplateContext } from "./incident-template.ts";

/** Renders one template. */
export const renderTemplateJob = defineThreadJob<
  { template: string; context: TemplateContext },
  RenderedTemplate
>("render_template", 1_000);

/** Compiles templates, and returns by name why those that can't be used at all can't. */
export const checkTemplatesJob = defineThreadJob<Record<string, string>, Record<string, string>>(
  "check_templates",
  2_000,
);
