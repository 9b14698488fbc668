/** A form over a draft: what its fields read, how they change it, and what is wrong with it. */
import { excerpt } from "@svc/contract";
import { type ComponentType, createContext, type ReactNode, useContext, useEffect, useRef } from "react";
import { plainText } from "../ui/text.tsx";
import type { Field } from "./field-model.ts";
import { type Path, pathText, valueAt, withValueAt } from "./paths.ts";
import { type FieldProblem, messagesAt } from "./problems.ts";

/** A field drawn by a page's own component. */
export interface WidgetProps {
  field: Field;
  path: Path;
  label: string;
}

/** The draft of a form and all that its fields share. */
export interface FormState {
  /** Begin of the ids of its elements. */
  id: string;
  draft: unknown;
  problems: readonly FieldProblem[];
  /** Puts a value at a path; undefined takes the field away. */
  change(path: Path, value: unknown): void;
  /** Components for fields that need more than their schema tells, by path without numbers of items. */
  widgets?: Readonly<Record<string, ComponentType<WidgetProps>>>;
}

const FormContext = createContext<FormState | undefined>(undefined);

/** Gives the fields within it the form's state. */
export function FormProvider({ state, children }: { state: FormState; children: ReactNode }) {
  return <FormContext.Provider value={state}>{children}</FormContext.Provider>;
}

/** Returns the state of the form around. */
export function useForm(): FormState {
  const state = useContext(FormContext);
  if (!state) throw new Error("a field stands in a form");
  return state;
}

/** What an input needs of its field: its value and the attributes that tie hint and messages to it. */
export interface BoundField {
  value: unknown;
  messages: readonly string[];
  set(value: unknown): void;
  /** Attributes of the input. */
  input: { id: string; "aria-invalid"?: true; "aria-describedby"?: string };
  hintId: string;
  messagesId: string;
}

/** Returns the value of a field in the form around, and what ties its input to its messages. */
export function useField(path: Path, hint: string | undefined): BoundField {
  const { id: formId, draft, problems, change } = useForm();
  const id = inputId(formId, path);
  const messages = messagesAt(problems, path);
  const [hintId, messagesId] = [`${id}-hint`, `${id}-problem`];
  const describedBy = [hint && hintId, messages.length > 0 && messagesId].filter(Boolean).join(" ");
  return {
    value: valueAt(draft, path),
    messages,
    set: (value) => change(path, value),
    input: {
      id,
      ...(messages.length > 0 && { "aria-invalid": true as const }),
      ...(describedBy !== "" && { "aria-describedby": describedBy }),
    },
    hintId,
    messagesId,
  };
}

/** Returns the id of the input at a path. */
function inputId(formId: string, path: Path): string {
  return `${formId}-${pathText(path).replaceAll(/[^\w]+/g, "-")}`;
}

/** Returns the next draft after a change. */
export function changed<Draft>(draft: Draft, path: Path, value: unknown): Draft {
  return withValueAt(draft, path, value) as Draft;
}

/** Shows hint and messages of a field. */
export function FieldNotes({ bound, hint }: { bound: BoundField; hint: string | undefined }) {
  return (
    <>
      {hint !== undefined && (
        <span id={bound.hintId} className="hint">
          {hint}
        </span>
      )}
      {bound.messages.length > 0 && (
        <span id={bound.messagesId} className="refusal">
          {plainText(bound.messages.join("; "))}
        </span>
      )}
    </>
  );
}

/**
 * Shows how many problems there are, each with a link to its field. It gets the focus after an attempt, never while somebody
 * writes.
 * @param props.attempts number of attempts to save that found problems
 * @param props.labelOfPath says how a field is called
 * @param props.refused the thing that did not happen; default: nothing was saved
 */
export function ProblemSummary({
  formId,
  problems,
  attempts,
  labelOfPath,
  refused = "Not saved",
}: {
  formId: string;
  attempts: number;
  problems: readonly FieldProblem[];
  labelOfPath: (path: Path) => string;
  refused?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (attempts > 0) box.current?.focus();
  }, [attempts]);
  if (problems.length === 0) return null;
  return (
    <div ref={box} role="alert" tabIndex={-1} className="problem">
      <p>
        {refused}; problems: {problems.length}
      </p>
      <ul>
        {problems.map(({ path, message }) => (
          <li key={`${pathText(path)} ${message}`}>
            {path.length === 0 ? (
              plainText(message)
            ) : (
              <>
                <button type="button" className="link-button" onClick={() => focusField(formId, path)}>
                  {plainText(excerpt(labelOfPath(path)))}
                </button>
                {`: ${plainText(message)}`}
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Moves the focus to the input at a path, or to that of what holds it, opening what hides it. */
function focusField(formId: string, path: Path): void {
  for (let length = path.length; length > 0; length--) {
    const input = document.getElementById(inputId(formId, path.slice(0, length)));
    if (!input) continue;
    for (let outer = input.closest("details"); outer; outer = outer.parentElement?.closest("details") ?? null)
      outer.open = true;
    input.focus();
    return;
  }
}
