/** What can be written next in a script: the members of Playwright's objects, and the names that scripts begin from. */
import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { SyntaxNode } from "@lezer/common";
import members from "./playwright-members.json" with { type: "json" };

type TypeName = keyof typeof members;

/** Names that a script has without declaring them, with what they are. */
const FIXTURES: Readonly<Record<string, TypeName>> = {
  page: "Page",
  context: "BrowserContext",
  request: "APIRequestContext",
  test: "TestType",
};
const STARTS: readonly Completion[] = [
  ...Object.entries(FIXTURES).map(([label, detail]) => ({ label, type: "variable", detail })),
  { label: "expect", type: "function", detail: "(actual, message?)" },
  { label: "await", type: "keyword" },
];
const STEP: Completion = { label: "// @step: ", type: "text", detail: "begins a step" };
/** Functions that make assertions of what they are given. */
const EXPECTATIONS = /^expect(\.soft|\.poll)?$/;
const ASSERTIONS: Readonly<Record<string, TypeName>> = {
  Locator: "LocatorAssertions",
  Page: "PageAssertions",
  APIResponse: "APIResponseAssertions",
};
/** Names that are followed from one declaration to the next. */
const DEPTH_MAX = 20;

/** Time that the text before the cursor may take to be read; what was not read by then offers less. */
const PARSE_MAX_MS = 50;

/** Returns what can stand at the position: members behind a dot, else names; null within texts and comments. */
export function completeScript(context: CompletionContext): CompletionResult | null {
  const { state, pos } = context;
  ensureSyntaxTree(state, pos, PARSE_MAX_MS);
  const node = syntaxTree(state).resolveInner(pos, -1);
  if (/String|RegExp|Template/.test(node.name)) return null;
  const mark = context.matchBefore(/^\s*\/\/.*$/);
  if (mark) {
    const from = mark.from + mark.text.indexOf("/");
    return "// @step: ".startsWith(mark.text.trim()) ? { from, options: [STEP] } : null;
  }
  const behindDot = context.matchBefore(/\.\s*[\w$]*/);
  if (behindDot) {
    const options = typesBefore(state, behindDot.from).flatMap(completionsOf);
    const begun = /[\w$]*$/.exec(behindDot.text)?.[0] ?? "";
    return options.length === 0 ? null : { from: pos - begun.length, options, validFor: /^[\w$]*$/ };
  }
  const word = context.matchBefore(/[\w$]+/);
  return word || context.explicit ? { from: word?.from ?? pos, options: STARTS, validFor: /^[\w$]*$/ } : null;
}

function completionsOf(type: TypeName): Completion[] {
  return Object.entries(members[type]).map(([label, detail]) => ({
    label,
    detail: detail.replace(/^: /, ""),
    type: detail.startsWith("(") ? "method" : "property",
  }));
}

/** Returns the types that the expression before a dot may have. */
function typesBefore(state: EditorState, dot: number): TypeName[] {
  const { length } = state.sliceDoc(0, dot).trimEnd();
  let widest: SyntaxNode | undefined;
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(length, -1);
  for (; node?.to === length; node = node.parent)
    if (/Expression$|^VariableName$/.test(node.name)) widest = node;
  return widest ? typesOf(state, widest, 0) : [];
}

function typesOf(state: EditorState, node: SyntaxNode, depth: number): TypeName[] {
  if (depth > DEPTH_MAX) return [];
  const within = (child: SyntaxNode | null) => (child ? typesOf(state, child, depth + 1) : []);
  const textOf = ({ from, to }: SyntaxNode) => state.sliceDoc(from, to);
  switch (node.name) {
    case "VariableName":
      return typesOfName(state, node, depth);
    case "ParenthesizedExpression":
      return within(node.firstChild?.nextSibling ?? null);
    case "AwaitExpression":
    case "UnaryExpression":
      return within(node.lastChild);
    case "MemberExpression": {
      const [object, property] = [node.firstChild, node.lastChild];
      if (!object || property?.name !== "PropertyName") return [];
      const name = textOf(property);
      return within(object).flatMap((type) => typeOfMember(type, name));
    }
    case "CallExpression": {
      const callee = node.firstChild;
      if (!callee || !EXPECTATIONS.test(textOf(callee))) return within(callee);
      const argument = node.getChild("ArgList")?.firstChild?.nextSibling ?? null;
      return [...within(argument).flatMap((type) => ASSERTIONS[type] ?? []), "GenericAssertions"];
    }
    default:
      return [];
  }
}

/** Returns the type of what a member is, or returns when it is called. */
function typeOfMember(type: TypeName, name: string): TypeName[] {
  const detail = (members[type] as Readonly<Record<string, string>>)[name];
  const declared = detail?.slice(detail.lastIndexOf("): ") + 1).replace(/^:? ?/, "");
  const found = /^(?:Promise<)?(?:null\|)?(\w+)/.exec(declared?.replace(/^: /, "") ?? "")?.[1];
  if (found === "this" || found === "R") return [type];
  return found !== undefined && found in members ? [found as TypeName] : [];
}

/** Returns the types of a name: of the last declaration before it, or of what each script has. */
function typesOfName(state: EditorState, { from, to }: SyntaxNode, depth: number): TypeName[] {
  const name = state.sliceDoc(from, to);
  let value: SyntaxNode | null = null;
  syntaxTree(state).iterate({
    to: from,
    enter: ({ name: kind, node }) => {
      if (kind !== "VariableDefinition" || node.parent?.name !== "VariableDeclaration") return;
      if (node.to > from || state.sliceDoc(node.from, node.to) !== name) return;
      value = node.nextSibling?.name === "Equals" ? node.nextSibling.nextSibling : null;
    },
  });
  if (value) return typesOf(state, value, depth + 1);
  const fixture = FIXTURES[name];
  return fixture ? [fixture] : [];
}
