/** A text that is edited as code, in a shadow root: there CodeMirror's styles are objects, which the page's policy allows. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { completeScript } from "./completions.ts";
import type { Selection } from "./plain-text.ts";

/** A line that something happened in. */
interface MarkedLine {
  /** From 1. */
  line: number;
  message: string;
}

/** What a code view begins with, and whom it reports to. */
export interface CodeViewParts {
  /** Holds the view; gets a shadow root. */
  host: HTMLElement;
  text: string;
  label: string;
  onChange(text: string): void;
}

/** An editor of code. */
export interface CodeView {
  /** Replaces the text, unless it is that one already. */
  setText(text: string): void;
  /** Says what is wrong with the text, to those who hear the page. */
  setProblem(message: string): void;
  /** Marks a line, with what happened beside it; undefined takes the mark away. */
  mark(marked: MarkedLine | undefined): void;
  /** Moves the focus and the cursor to a line, from 1. */
  goTo(line: number): void;
  /** Moves the focus here, and selects a part of the text. */
  select(selection: Selection): void;
  destroy(): void;
}

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: [tags.string, tags.regexp], color: "var(--good)" },
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--error)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--slow)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: "var(--accent)" },
]);

const LOOK = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--ground)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "ui-monospace, monospace",
    lineHeight: "20px",
    minHeight: "240px",
    maxHeight: "60vh",
  },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-gutters": { color: "var(--quiet)", backgroundColor: "var(--panel)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--hover) 50%, transparent)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 25%, transparent)",
  },
  ".cm-matchingBracket": { backgroundColor: "var(--hover)", outline: "1px solid var(--field)" },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--panel)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    color: "var(--on-accent)",
    backgroundColor: "var(--accent)",
  },
  ".cm-completionDetail": { color: "inherit", opacity: "0.8", fontStyle: "normal" },
  ".cm-marked": { backgroundColor: "color-mix(in srgb, var(--failing) 12%, transparent)" },
  ".cm-marked-message": {
    padding: "4px 12px",
    color: "var(--failing)",
    backgroundColor: "color-mix(in srgb, var(--failing) 12%, transparent)",
    whiteSpace: "pre-wrap",
    overflowWrap: "anywhere",
  },
});

/** Makes an editor. Tab leaves it, as any field; Escape closes what it offers. */
export function createCodeView({ host, text, label, onChange }: CodeViewParts): CodeView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open", delegatesFocus: true });
  const description = new Compartment();
  let isOurs = false;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        autocompletion({ override: [completeScript] }),
        javascript({ typescript: true }),
        syntaxHighlighting(COLOURS),
        LOOK,
        markedLine,
        keymap.of([
          ...closeBracketsKeymap,
          // Ctrl Enter is the page's: it starts a test run.
          ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
          ...historyKeymap,
          ...completionKeymap,
        ]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        description.of([]),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged && !isOurs) onChange(state.doc.toString());
        }),
      ],
    }),
  });
  const lineAt = (number: number) => view.state.doc.line(Math.min(Math.max(1, number), view.state.doc.lines));
  return {
    setText(next) {
      if (view.state.doc.toString() === next) return;
      isOurs = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      isOurs = false;
    },
    setProblem(message) {
      const attributes: Record<string, string> =
        message === "" ? {} : { "aria-invalid": "true", "aria-description": message };
      view.dispatch({ effects: description.reconfigure(EditorView.contentAttributes.of(attributes)) });
    },
    mark(marked) {
      const from = marked && lineAt(marked.line).from;
      view.dispatch({
        effects: [
          setMarked.of(marked),
          ...(from === undefined ? [] : [EditorView.scrollIntoView(from, { y: "center" })]),
        ],
      });
    },
    goTo(line) {
      const { from } = lineAt(line);
      view.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: "start" }),
      });
      view.focus();
    },
    select({ anchor, head }) {
      const at = (position: number) => Math.min(position, view.state.doc.length);
      view.dispatch({ selection: { anchor: at(anchor), head: at(head) }, scrollIntoView: true });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

const setMarked = StateEffect.define<MarkedLine | undefined>();

/** The marked line. It moves with its text. */
const markedLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, { effects, changes, state }) {
    const effect = effects.find((one) => one.is(setMarked));
    if (!effect) return decorations.map(changes);
    const marked = effect.value as MarkedLine | undefined;
    if (!marked || marked.line > state.doc.lines) return Decoration.none;
    const { from, to } = state.doc.line(Math.max(1, marked.line));
    return Decoration.set([
      Decoration.line({ class: "cm-marked" }).range(from),
      Decoration.widget({ widget: new Message(marked.message), block: true, side: 1 }).range(to),
    ]);
  },
  provide: (field) => EditorView.decorations.from(field),
});

class Message extends WidgetType {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  override eq(other: Message): boolean {
    return other.#text === this.#text;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement("div");
    element.className = "cm-marked-message";
    element.textContent = this.#text;
    return element;
  }
}
