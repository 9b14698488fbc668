/** Resources: answers of reading tools at addresses of their own, so that clients can attach them to a conversation. */
import { type CheckSummary, DomainError } from "@svc/contract";
import { listChecks } from "../../checks/list-checks.ts";
import { readPage } from "../answers/page.ts";
import { mcpTools } from "../tools/registry.ts";
import type { Tool, ToolCall } from "../tools/tool.ts";

const MIME_TYPE = "application/json";
/** Checks on a page of the list of resources. */
const LISTED_MAX = 50;

/** An address, or a form of addresses, and the tool that answers it. */
interface ResourceTemplate {
  /** The address; a part in braces is an argument of the tool. */
  uriTemplate: string;
  name: string;
  description: string;
  tool: string;
}

const TEMPLATES: readonly ResourceTemplate[] = [
  {
    uriTemplate: "svc://checks/{checkId}",
    name: "check",
    description: "A check with its configuration, secrets masked, and its newest results.",
    tool: "get_check",
  },
  {
    uriTemplate: "svc://checks/{checkId}/explanation",
    name: "explanation",
    description: "Why a check fails, and since when.",
    tool: "explain_check",
  },
  {
    uriTemplate: "svc://checks/{checkId}/results/{resultId}",
    name: "result",
    description: "A result with its evidence.",
    tool: "get_result",
  },
  {
    uriTemplate: "svc://alerts/{alertId}",
    name: "alert",
    description: "An alert with its history.",
    tool: "get_alert",
  },
  {
    uriTemplate: "svc://incidents/{incidentId}",
    name: "incident",
    description: "An incident with its hypothesis, alerts and events.",
    tool: "get_incident",
  },
];

const OVERVIEW = {
  uri: "svc://overview",
  name: "overview",
  description: "How the team stands.",
  mimeType: MIME_TYPE,
};

/** A tool's call that an address stands for. */
interface ToolOfAddress {
  tool: Tool;
  input: Record<string, string>;
}

/** The forms of addresses, as the protocol lists them. */
export const resourceTemplates = TEMPLATES.map(({ uriTemplate, name, description }) => ({
  uriTemplate,
  name,
  description,
  mimeType: MIME_TYPE,
}));

/** Content type of all resources. */
export const RESOURCE_TYPE = MIME_TYPE;

/**
 * Lists the resources that have an address without arguments, and the checks, newest first.
 * @throws DomainError `invalid` when `cursor` is not of this list
 */
export async function listResources({ ctx }: ToolCall, cursor: string | undefined) {
  const page = await readPage({
    list: listChecks(ctx, { view: "summary", secrets: "masked" }),
    limit: LISTED_MAX,
    next: cursor,
    view: ({ id, name, type }: CheckSummary) => ({
      uri: `svc://checks/${id}`,
      name,
      description: `${type} check`,
      mimeType: MIME_TYPE,
    }),
  });
  return {
    resources: [...(cursor === undefined ? [OVERVIEW] : []), ...page.records],
    ...(page.next !== undefined && { nextCursor: page.next }),
  };
}

/**
 * Returns the tool and its arguments that an address stands for.
 * @throws DomainError `not_found`
 */
export function toolOfAddress(uri: string): ToolOfAddress {
  if (uri === OVERVIEW.uri) return { tool: mcpTools.get("get_overview"), input: {} };
  for (const { uriTemplate, tool } of TEMPLATES) {
    const input = matchAddress(uriTemplate, uri);
    if (input) return { tool: mcpTools.get(tool), input };
  }
  throw new DomainError(
    "not_found",
    `There is no such resource; addresses have the forms ${[OVERVIEW.uri, ...TEMPLATES.map(({ uriTemplate }) => uriTemplate)].join(", ")}`,
  );
}

/** Returns the arguments of an address of the form, or undefined for an address of another form. */
function matchAddress(template: string, uri: string): Record<string, string> | undefined {
  const [forms, parts] = [template.split("/"), uri.split("/")];
  if (forms.length !== parts.length) return undefined;
  const input: Record<string, string> = {};
  for (const [i, form] of forms.entries()) {
    const part = parts[i] ?? "";
    const name = /^\{(\w+)\}$/.exec(form)?.[1];
    if (name === undefined ? form !== part : part === "") return undefined;
    if (name !== undefined) input[name] = part;
  }
  return input;
}
