/** The script of a browser check: an editor of code, and the steps that the script marks. */
import { findStepMarkers } from "@svc/contract";
import { useContext, useEffect, useMemo, useRef, useState } from "react";
import { FieldNotes, useField, type WidgetProps } from "../../../forms/form.tsx";
import { Text } from "../../../ui/text.tsx";
import { whenIdle } from "../../../ui/when-idle.ts";
import type { CodeView } from "./code-view.ts";
import { FailedLineContext } from "./failed-line.ts";
import "./script.css";

/** Shows the field. Where the editor can't be loaded, the text is written as in any other field. */
export function ScriptField({ path, label, field }: WidgetProps) {
  const bound = useField(path, field.hint);
  const text = typeof bound.value === "string" ? bound.value : "";
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<CodeView>(undefined);
  const [isMissing, setMissing] = useState(false);
  const [isReady, setReady] = useState(false);
  const failed = useContext(FailedLineContext);
  const marked = failed?.script === text ? failed : undefined;
  const newest = useRef({ text, set: bound.set });
  newest.current = { text, set: bound.set };
  const problem = bound.messages.join("; ");
  useEffect(() => {
    const element = host.current;
    let isGone = false;
    const load = () =>
      import("./code-view.ts").then(
        ({ createCodeView }) => {
          if (isGone || !element) return;
          view.current = createCodeView({
            host: element,
            text: newest.current.text,
            label,
            onChange: (next) => newest.current.set(next),
          });
          setReady(true);
        },
        () => setMissing(true),
      );
    // The editor of code is large: the other fields can be used before it is there.
    const cancel = whenIdle(() => void load());
    return () => {
      isGone = true;
      cancel();
      view.current?.destroy();
      view.current = undefined;
    };
  }, [label]);
  useEffect(() => view.current?.setText(text), [text]);
  useEffect(() => view.current?.setProblem(problem), [problem]);
  useEffect(() => {
    if (isReady) view.current?.mark(marked);
  }, [isReady, marked]);
  return (
    <div className="field script">
      <span className="label">{label}</span>
      {isMissing ? (
        <textarea
          {...bound.input}
          aria-label={label}
          className="code"
          rows={16}
          spellCheck={false}
          value={text}
          onChange={({ target }) => bound.set(target.value)}
        />
      ) : (
        <div className="script-parts">
          <div id={bound.input.id} ref={host} tabIndex={-1} className="code-view" />
          <StepList script={text} onChoose={(line) => view.current?.goTo(line)} />
        </div>
      )}
      <FieldNotes bound={bound} hint={field.hint} />
    </div>
  );
}

/** Steps that are listed; a result keeps as many. */
const STEPS_SHOWN_MAX = 100;

function StepList({ script, onChoose }: { script: string; onChoose(line: number): void }) {
  const steps = useMemo(() => stepsOf(script), [script]);
  return (
    <div className="script-steps">
      <h3>Steps</h3>
      {steps.length === 0 ? (
        <p className="hint">
          A line <code>{"// @step: Log in"}</code> begins a step.
        </p>
      ) : (
        <ol aria-label="Steps">
          {steps.map(({ name, line }) => (
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
