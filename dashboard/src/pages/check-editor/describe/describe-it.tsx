/** A script in words: a language model writes it, a runner tries it, and the person decides whether it goes into the form. */
import { type GenerateScript, generateScriptSchema } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { locationsQuery } from "../../../api/queries/locations.ts";
import { metaQuery } from "../../../api/queries/service.ts";
import { type FieldProblem, messagesAt, problemsOfDraft } from "../../../forms/problems.ts";
import { useMayChange } from "../../../shell/session.tsx";
import { say } from "../../../ui/messages.tsx";
import { Text } from "../../../ui/text.tsx";
import { GeneratedOutcome } from "./generated-outcome.tsx";
import { Note } from "./note.tsx";
import { ProgressList } from "./progress.tsx";
import { useGeneration } from "./use-generation.ts";
import { failureText, openedUrlOf, stateText } from "./words.ts";
import "./describe.css";

interface DescribeProps {
  /** The script in the form; "" for none yet. */
  script: string;
  /** Puts a script into the form. */
  onUse(script: string): void;
}

/** Shows the part, where the service has a language model and the person may change things. */
export function DescribeIt(props: DescribeProps) {
  const mayChange = useMayChange();
  const hasModel = useQuery(metaQuery).data?.configured.generation === true;
  return mayChange && hasModel ? <Describe {...props} /> : null;
}

function Describe({ script, onUse }: DescribeProps) {
  const id = useId();
  const isChange = script.trim() !== "";
  const [isOpen, setOpen] = useState(!isChange);
  const [text, setText] = useState("");
  const [typedUrl, setTypedUrl] = useState<string>();
  const [locationId, setLocationId] = useState("");
  const [allowWrites, setAllowWrites] = useState(false);
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const { state, start, cancel } = useGeneration();
  const locations = useQuery({ ...locationsQuery, enabled: isOpen }).data?.locations ?? [];
  /** What the script in the form was generated from; a change of it is judged by that, too. */
  const described = useRef<string>(undefined);
  const form = useNewest({ script, onUse });
  const button = useRef<HTMLButtonElement>(null);
  const targetUrl = typedUrl ?? openedUrlOf(script);
  const isUnderWay = state.is === "underWay";
  useEffect(() => {
    // Whoever pressed the button that is gone now goes on beside where it was.
    if (!isUnderWay && state.is !== "idle" && document.activeElement === document.body)
      button.current?.focus();
  }, [isUnderWay, state.is]);

  const write = () => {
    if (isUnderWay) return;
    const body = {
      description: text,
      ...(isChange && { previousScript: script, refinement: text }),
      ...(targetUrl.trim() !== "" && { targetUrl: targetUrl.trim() }),
      ...(locationId !== "" && { locationId }),
      allowWrites,
    };
    const found = problemsOfDraft(generateScriptSchema, body);
    setProblems(found);
    if (found.length === 0)
      void start({ ...body, description: (isChange && described.current) || text } as GenerateScript);
    else
      document
        .getElementById(`${id}-${found.some(isOfUrl) && !found.some(isOfText) ? "url" : "text"}`)
        ?.focus();
  };
  const use = (generated: string, description: string) => {
    const before = form.current?.script ?? "";
    onUse(generated);
    described.current = description;
    setText("");
    say({
      text: "The script is in the form. It is stored when you save.",
      undo: async () => {
        if (!form.current) throw new Error("the form was left.");
        if (form.current.script !== generated) throw new Error("the script was changed since.");
        form.current.onUse(before);
        setText((now) => (now === "" ? text : now));
      },
    });
  };
  const notes = (name: string, messages: readonly string[]) => ({
    id: `${id}-${name}`,
    "aria-describedby": `${id}-${name}-note`,
    "aria-invalid": messages.length > 0,
  });
  const [textMessages, urlMessages] = [
    problems.filter(isOfText).map(({ message }) => message),
    messagesAt(problems, ["targetUrl"]),
  ];
  const others = problems.filter((one) => !isOfText(one) && !isOfUrl(one));
  return (
    <details className="describe" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary id={`${id}-title`}>Describe it</summary>
      <section className="fields" aria-labelledby={`${id}-title`}>
        <div className="field">
          <label htmlFor={`${id}-text`}>{isChange ? "What should change" : "What it should do"}</label>
          <textarea
            {...notes("text", textMessages)}
            rows={4}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <Note id={`${id}-text-note`} messages={[...new Set(textMessages)]}>
            {isChange
              ? "Changes the script in the form, in your words."
              : "What a user does and sees, in your words, such as: search for tea and see results."}{" "}
            It goes to the language model of the service, with the outline of the page.
          </Note>
        </div>
        <div className="field">
          <label htmlFor={`${id}-url`}>Target URL</label>
          <input
            {...notes("url", urlMessages)}
            type="text"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            value={targetUrl}
            onChange={({ target }) => setTypedUrl(target.value)}
            onKeyDown={(event: KeyboardEvent) => {
              if (event.key !== "Enter") return;
              // The form around would save the check.
              event.preventDefault();
              write();
            }}
          />
          <Note id={`${id}-url-note`} messages={urlMessages}>
            The page that the script begins with. Empty: the first URL of the description.
          </Note>
        </div>
        <div className="field">
          <label htmlFor={`${id}-location`}>Try it at</label>
          <select
            id={`${id}-location`}
            value={locationId}
            onChange={({ target }) => setLocationId(target.value)}
          >
            <option value="">The first location that can</option>
            {locations.map((one) => (
              <option key={one.id} value={one.id}>
                {one.displayName}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label className="switch">
            <input
              type="checkbox"
              aria-describedby={`${id}-writes-note`}
              checked={allowWrites}
              onChange={({ target }) => setAllowWrites(target.checked)}
            />{" "}
            May change something at the target
          </label>
          <Note id={`${id}-writes-note`} messages={[]}>
            Drafts are run to try them. With this, their requests may store, order or delete something at the
            target's origin, and that stays so. Without it, only requests that read get through.
          </Note>
        </div>
        <div className="row">
          <button ref={button} type="button" aria-disabled={isUnderWay} onClick={write}>
            Write script
          </button>
          {isUnderWay && (
            <button type="button" className="quiet-button" onClick={cancel}>
              Cancel writing
            </button>
          )}
        </div>
        {others.map(({ message }) => (
          <p key={message} role="alert" className="problem">
            {message}
          </p>
        ))}
        <p role="status" className={state.is === "cancelled" ? undefined : "hidden"}>
          {stateText(state)}
        </p>
        <ProgressList progress={state.progress} isUnderWay={isUnderWay} />
        {state.is === "failed" && (
          <p role="alert" className="problem">
            <Text>{failureText(state.error)}</Text>
          </p>
        )}
        {state.is === "ended" && (
          <GeneratedOutcome
            result={state.result}
            onUse={() => use(state.result.script, state.result.description)}
          />
        )}
      </section>
    </details>
  );
}

const isOfUrl = ({ path }: FieldProblem) => path[0] === "targetUrl";
const isOfText = ({ path }: FieldProblem) => path[0] === "description" || path[0] === "refinement";

/** Returns a reference to the newest value; it is undefined once the component is gone. */
function useNewest<Value>(value: Value) {
  const newest = useRef<Value | undefined>(value);
  useEffect(() => {
    newest.current = value;
  });
  useEffect(
    () => () => {
      newest.current = undefined;
    },
    [],
  );
  return newest;
}
