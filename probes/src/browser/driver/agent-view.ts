/**
 * Measures the final page as it appears to clients that run no scripts, or that know controls only by their names.
 */
import type { AgentView } from "@svc/contract";
import type { CDPSession, Page, Response } from "playwright";
import { textLengths } from "./page-scripts.ts";

/** Roles of controls (WAI-ARIA widgets that take input or a click). */
const CONTROL_ROLES = new Set([
  "button",
  "link",
  "textbox",
  "searchbox",
  "combobox",
  "listbox",
  "checkbox",
  "radio",
  "switch",
  "slider",
  "spinbutton",
  "menuitem",
  "menuitemcheckbox",
  "menuitemradio",
  "tab",
]);
const EXAMPLES_MAX = 5;
const EXAMPLE_CHARACTERS_MAX = 200;
/** Longer HTML is not measured. */
const HTML_CHARACTERS_MAX = 5_000_000;

interface AxNode {
  ignored: boolean;
  role?: { value?: unknown };
  name?: { value?: unknown };
  backendDOMNodeId?: number;
}

/**
 * Measures a page.
 * @param document the response that the page was made from, if it is known
 */
export async function measureAgentView(page: Page, document: Response | null): Promise<AgentView> {
  const noJs = await measureText(page, document).catch(() => undefined);
  const controls = await measureControls(page);
  return { ...(noJs ? { noJs } : {}), controls };
}

async function measureText(page: Page, document: Response | null): Promise<AgentView["noJs"]> {
  if (document === null) return undefined;
  const html = await document.text();
  if (html.length > HTML_CHARACTERS_MAX) return undefined;
  const [raw, rendered] = (await page.evaluate(textLengths(html))) as [unknown, unknown];
  const [rawTextChars, renderedTextChars] = [Number(raw), Number(rendered)];
  return { rawTextChars, renderedTextChars, ratio: ratioOf(rawTextChars, renderedTextChars) };
}

/** Returns the share of the rendered text that is there without scripts; 1 for a page without any text. */
function ratioOf(raw: number, rendered: number): number {
  if (rendered === 0) return 1;
  return Math.round((raw / rendered) * 1000) / 1000;
}

async function measureControls(page: Page): Promise<AgentView["controls"]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { nodes } = (await session.send("Accessibility.getFullAXTree")) as { nodes: AxNode[] };
    const controls = nodes.filter(({ ignored, role }) => !ignored && CONTROL_ROLES.has(String(role?.value)));
    const unnamed = controls.filter(({ name }) => String(name?.value ?? "").trim() === "");
    const examples: string[] = [];
    for (const node of unnamed.slice(0, EXAMPLES_MAX)) examples.push(await describe(session, node));
    return { total: controls.length, unnamed: unnamed.length, examples };
  } finally {
    await session.detach().catch(() => {});
  }
}

/** Describes a control, such as `button: <button class="menu">`. */
async function describe(session: CDPSession, { role, backendDOMNodeId }: AxNode): Promise<string> {
  const name = String(role?.value);
  if (backendDOMNodeId === undefined) return name;
  try {
    const { node } = await session.send("DOM.describeNode", { backendNodeId: backendDOMNodeId });
    const pairs = node.attributes ?? [];
    let tag = node.nodeName.toLowerCase();
    for (let at = 0; at + 1 < pairs.length; at += 2) tag += ` ${pairs[at]}="${pairs[at + 1]}"`;
    return `${name}: <${tag}>`.slice(0, EXAMPLE_CHARACTERS_MAX);
  } catch {
    return name;
  }
}
