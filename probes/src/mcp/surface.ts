/** The surface of a server, everything it offers, in the form that is compared from run to run. Pure. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ComparedText, McpSurface, McpToolHints } from "@svc/contract";
import { storableText } from "../base/storable-text.ts";
import type { Initialized } from "./conversation.ts";
import type { McpTool } from "./tools.ts";

/** Largest JSON of a surface, bytes. The control plane refuses more than 256 KiB. */
export const SURFACE_BYTES_MAX = 240 * 1024;
/** Largest part of each text that is kept while all texts together fit. */
const TEXT_CHARACTERS_MAX = 4_000;
/** Limits of each text, tried in this order: long lists of tools keep shorter texts. */
const SHORTER_TEXTS = [TEXT_CHARACTERS_MAX, 1_000, 250, 60, 0];
/** Least JSON of a tool, bytes: its digests and hints alone take more. More tools can't fit, whatever they are. */
const TOOL_BYTES_MIN = 150;
/** Characters of schemas that are put in order in one turn of the event loop. */
const TURN_CHARACTERS = 256 * 1024;
/** Deeper parts of a schema are left out, so that it can't exhaust the stack. */
const NESTING_MAX = 64;

/**
 * Returns the surface; the work of many tools is spread over turns of the event loop.
 * @param endpoint the check's
 * @param tools all of them
 * @returns undefined when even without their texts the tools are too many to be compared
 */
export async function surfaceOf(
  endpoint: string,
  { server, capabilities }: Initialized,
  tools: readonly McpTool[],
): Promise<McpSurface | undefined> {
  if (tools.length * TOOL_BYTES_MIN > SURFACE_BYTES_MAX) return undefined;
  const compared = await inTurns(tools);
  const whole: McpSurface = {
    endpointSha256: createHash("sha256").update(endpoint).digest("hex"),
    server: {
      name: server.name,
      version: server.version,
      protocolVersion: server.protocolVersion,
      capabilities: comparedText(canonicalJson(capabilities)),
    },
    tools: compared.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
  for (const charactersMax of SHORTER_TEXTS) {
    if (charactersOf(whole, charactersMax) > SURFACE_BYTES_MAX) continue;
    const surface = withTexts(whole, charactersMax);
    if (Buffer.byteLength(JSON.stringify(surface)) <= SURFACE_BYTES_MAX) return surface;
  }
  return undefined;
}

/** Returns the tools in the form that is compared, in the server's order. */
async function inTurns(tools: readonly McpTool[]): Promise<McpSurface["tools"]> {
  const compared: McpSurface["tools"] = [];
  let characters = 0;
  for (const { name, description, inputSchema, annotations } of tools) {
    const tool = {
      name,
      description: comparedText(description),
      inputSchema: comparedText(canonicalJson(inputSchema)),
      annotations: comparedText(canonicalJson(annotations)),
      hints: hintsOf(annotations),
    };
    compared.push(tool);
    characters += textsOf(tool).reduce((sum, { text }) => sum + text.length, 0);
    if (characters < TURN_CHARACTERS) continue;
    characters = 0;
    await nextTurn();
  }
  return compared;
}

function textsOf({ description, inputSchema, annotations }: McpSurface["tools"][number]): ComparedText[] {
  return [description, inputSchema, annotations];
}

/** Returns the characters of all texts of tools when each is cut: fewer than their JSON has bytes. */
function charactersOf({ tools }: McpSurface, charactersMax: number): number {
  let characters = 0;
  for (const tool of tools)
    for (const { text } of textsOf(tool)) characters += Math.min(text.length, charactersMax);
  return characters;
}

/**
 * Returns the hints of a tool, with the protocol's defaults filled in. A tool that only reads destroys nothing and
 * can be repeated.
 */
export function hintsOf(annotations: Record<string, unknown>): McpToolHints {
  const readOnly = annotations.readOnlyHint === true;
  return {
    readOnly,
    destructive: !readOnly && annotations.destructiveHint !== false,
    idempotent: readOnly || annotations.idempotentHint === true,
    openWorld: annotations.openWorldHint !== false,
  };
}

/**
 * Returns JSON text in which the members of each object are sorted by name, so that their order makes no difference.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (depth >= NESTING_MAX) return '"..."';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(",")}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member, depth + 1)}`);
  return `{${members.join(",")}}`;
}

/**
 * Returns a text with its digest. 96 bits of SHA-256: nobody finds a second text for a digest by chance, and few
 * would care to by force.
 */
function comparedText(text: string): ComparedText {
  return { digest: createHash("sha256").update(text).digest("base64url").slice(0, 16), text };
}

function withTexts(surface: McpSurface, charactersMax: number): McpSurface {
  const cut = ({ digest, text }: ComparedText): ComparedText => ({
    digest,
    text: storableText(text.slice(0, charactersMax)),
  });
  return {
    ...surface,
    server: { ...surface.server, capabilities: cut(surface.server.capabilities) },
    tools: surface.tools.map((tool) => ({
      ...tool,
      description: cut(tool.description),
      inputSchema: cut(tool.inputSchema),
      annotations: cut(tool.annotations),
    })),
  };
}
