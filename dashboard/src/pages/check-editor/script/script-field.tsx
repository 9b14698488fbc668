/** The script of a browser check: an editor of code, and the steps that the script marks. */
import { findStepMarkers } from "@svc/contract";
import { useContext, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { FieldNotes, useField, type WidgetProps } from "../../../forms/form.tsx";
import { Text } from "../../../ui/text.tsx";
import { whenQuiet } from "../../../ui/when-quiet.ts";
import { DescribeIt } from "../describe/describe-it.tsx";
import type { CodeView, CodeViewParts } from "./code-view.ts";
import { FailedLineContext } from "./failed-line.ts";
import { Composition, goToLine, selectionOf } from "./plain-text.ts";
import "./script.css";

/** Shows the field: a plain one that takes keys at once, until the editor of code is loaded; where that can't be, it stays. */
export function ScriptField({ path, label, field }: WidgetProps) {
  const bound = useField(path, field.hint);
  const text = typeof bound.value === "string" ? bound.value : "";
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const view = useRef<CodeView>(undefined);
  const [isReady, setReady] = useState(false);
  const composition = useRef(new Composition());
  const failed = useContext(FailedLineContext);
  const marked = failed?.script === text ? failed : undefined;
  const newest = useRef({ text, set: bound.set });
  newest.current = { text, set: bound.set };
  const problem = bound.messages.join("; ");
  useEffect(() => {
    const element = host.current;
    let isGone = false;
    const replacePlain = (createCodeView: (parts: CodeViewParts) => CodeView) => {
      if (isGone || !element) return;
      view.current = createCodeView({
        host: element,
        text: newest.current.text,
        label,
        onChange: (next) => newest.current.set(next),
      });
      const selection = selectionOf(plain.current);
      flushSync(() => setReady(true));
      if (selection) view.current.select(selection);
    };
    const load = async () => {
      const loaded = await import("./code-view.ts").catch(() => undefined);
      if (loaded) composition.current.afterIt(() => replacePlain(loaded.createCodeView));
    };
    // The editor of code is large: somebody who writes already is not held up by it.
    const cancel = whenQuiet(() => void load());
    return () => {
      isGone = true;
      cancel();
      view.current?.destroy();
      view.current = undefined;
      setReady(false);
    };
  }, [label]);
  // Before the next key: later, the text that was drawn may be older than the one in the editor.
  useLayoutEffect(() => view.current?.setText(text), [text]);
  useEffect(() => {
    if (isReady) view.current?.setProblem(problem);
  }, [isReady, problem]);
  useEffect(() => {
    if (isReady) view.current?.mark(marked);
  }, [isReady, marked]);
  const goTo = (line: number) => {
    if (view.current) view.current.goTo(line);
    else if (plain.current) goToLine(plain.current, line);
  };
  return (
    <div className="field script">
      <span className="label">{label}</span>
      <DescribeIt script={text} onUse={bound.set} />
      <div className="script-parts">
        {!isReady && (
          <textarea
            {...bound.input}
            ref={plain}
            aria-label={label}
            className="code"
            rows={text.split("\n").length}
            spellCheck={false}
            wrap="off"
            value={text}
            onChange={({ target }) => bound.set(target.value)}
            onCompositionStart={() => composition.current.begin()}
            onCompositionEnd={() => composition.current.end()}
          />
        )}
        <div
          {...(isReady && { id: bound.input.id })}
          ref={host}
          tabIndex={-1}
          className="code-view"
          hidden={!isReady}
        />
        <StepList script={text} onChoose={goTo} />
      </div>
      <FieldNotes bound={bound} hint={field.hint} />
    </div>
  );
}

/** Steps that are listed; a result keeps as many. */
const STEPS_SHOWN_MAX = 100;

function StepList({ script, onChoose }: { script: string; onChoose(line: number): void }) {
  // The form takes keys before the steps are drawn.
  const deferred = useDeferredValue<string | undefined>(script, undefined);
  const steps = useMemo(() => (deferred === undefined ? undefined : stepsOf(deferred)), [deferred]);
  return (
    <div className="script-steps">
      <h3>Steps</h3>
      {steps?.length === 0 ? (
        <p className="hint">
          A line <code>{"// @step: Log in"}</code> begins a step.
        </p>
      ) : (
        <ol aria-label="Steps">
          {steps?.map(({ name, line }) => (
            <li key={line}>
              <button type="button" className="link-button" onClick={() => onChoose(line)}>
                <Text>{name}</Text>
              </button>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** Returns the steps that a script marks, each with its line, from 1. */
function stepsOf(script: string): { name: string; line: number }[] {
  let [line, counted] = [1, 0];
  return findStepMarkers(script)
    .slice(0, STEPS_SHOWN_MAX)
    .map(({ name, start }) => {
      for (; counted < start; counted++) if (script.charCodeAt(counted) === 0x0a) line++;
      return { name, line };
    });
}
