/** The templates of a webhook channel: a body of its own for each event of an incident, with what it gives beside it. */
import { INCIDENT_TEMPLATE_PATHS, type IncidentEventType, incidentEventTypes } from "@svc/contract";
import { useRef, useState } from "react";
import { useField, useForm, type WidgetProps } from "../../forms/form.tsx";
import { labelOf } from "../../forms/label.ts";
import { valueAt } from "../../forms/paths.ts";
import { messagesWithin } from "../../forms/problems.ts";
import { plainText } from "../../ui/text.tsx";
import { BodyPreview } from "./body-preview.tsx";
import { useBodyPreview } from "./use-body-preview.ts";

type Overrides = Partial<Record<IncidentEventType, { body: string }>>;

const EXAMPLE = '{"text": {{jsonBody incident.title}}, "severity": {{jsonBody incident.severity}} }';

/** Shows the template of one event at a time. An empty one is none: the default body is sent then. */
export function IncidentTemplateField({ path, label }: WidgetProps) {
  const { draft, problems } = useForm();
  const whole = useField(path, undefined);
  const overrides = (valueAt(whole.value, ["overrides"]) ?? {}) as Overrides;
  const [event, setEvent] = useState<IncidentEventType>(
    () => incidentEventTypes.types.find((type) => overrides[type]) ?? incidentEventTypes.types[0],
  );
  const bodyPath = [...path, "overrides", event, "body"];
  const text = overrides[event]?.body ?? "";
  const set = (body: string) => {
    const { [event]: _, ...others } = overrides;
    const next: Overrides = body === "" ? others : { ...others, [event]: { body } };
    whole.set(Object.keys(next).length === 0 ? null : { channelType: "webhook", overrides: next });
  };
  const stateOf = (type: IncidentEventType) => {
    if (messagesWithin(problems, [...path, "overrides", type]).length > 0) return ", with a problem";
    return overrides[type] ? ", with a template" : "";
  };
  const isSubscribed = valueAt(draft, ["incidentSubscribed"]) !== false;
  return (
    <fieldset id={whole.input.id} tabIndex={-1}>
      <legend>{label}</legend>
      <p className="hint">
        A body of your own for an event of an incident, which renders to JSON. Without one the default body is
        sent.
        {!isSubscribed && " This channel gets no incident events now: its templates are not used."}
      </p>
      {whole.messages.length > 0 && <p className="refusal">{whole.messages.join("; ")}</p>}
      <div className="fields">
        <div className="field">
          <label htmlFor={`${whole.input.id}-event`}>Event</label>
          <select
            id={`${whole.input.id}-event`}
            value={event}
            onChange={({ target }) => setEvent(target.value as IncidentEventType)}
          >
            {incidentEventTypes.members.map(({ type }) => (
              <option key={type} value={type}>{`${labelOf(type)}${stateOf(type)}`}</option>
            ))}
          </select>
          <span className="hint">Sent when {incidentEventTypes.get(event).when}.</span>
        </div>
        <TemplateText key={event} bodyPath={bodyPath} event={event} text={text} set={set} />
      </div>
    </fieldset>
  );
}

function TemplateText({
  bodyPath,
  event,
  text,
  set,
}: {
  bodyPath: readonly (string | number)[];
  event: IncidentEventType;
  text: string;
  set(text: string): void;
}) {
  const bound = useField([...bodyPath], "hint");
  const area = useRef<HTMLTextAreaElement>(null);
  const [value, setValue] = useState(INCIDENT_TEMPLATE_PATHS[0] ?? "");
  const body = useBodyPreview(event, text);
  const live = text === "" || body.problem === undefined ? [] : [body.problem];
  const messages = [...new Set([...bound.messages, ...live])];
  const insert = () => {
    const { selectionStart = text.length, selectionEnd = text.length } = area.current ?? {};
    const after = text.slice(selectionEnd);
    // Three braces in a row would close another kind of tag.
    const tag = `{{jsonBody ${value}}}${after.startsWith("}") ? " " : ""}`;
    set(text.slice(0, selectionStart) + tag + after);
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(selectionStart + tag.length, selectionStart + tag.length);
    });
  };
  return (
    <>
      <div className="field">
        <label htmlFor={bound.input.id}>Body</label>
        <textarea
          ref={area}
          id={bound.input.id}
          className="code"
          rows={8}
          spellCheck={false}
          placeholder={EXAMPLE}
          aria-describedby={messages.length > 0 ? `${bound.hintId} ${bound.messagesId}` : bound.hintId}
          {...(messages.length > 0 && { "aria-invalid": true as const })}
          value={text}
          onChange={({ target }) => set(target.value)}
        />
        <span id={bound.hintId} className="hint">
          A Handlebars template. <code>jsonBody</code> writes a value as JSON, with its quotes; put a space
          between a closing <code>{"}}"}</code> and a brace of JSON.
        </span>
        {messages.length > 0 && (
          <span id={bound.messagesId} className="refusal">
            {plainText(messages.join("; "))}
          </span>
        )}
      </div>
      <div className="field">
        <label htmlFor={`${bound.input.id}-value`}>Value to insert</label>
        <select
          id={`${bound.input.id}-value`}
          value={value}
          onChange={({ target }) => setValue(target.value)}
        >
          {INCIDENT_TEMPLATE_PATHS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <button type="button" className="quiet-button" onClick={insert}>
          Insert
        </button>
      </div>
      <BodyPreview of={body} hasTemplate={text !== ""} />
    </>
  );
}
