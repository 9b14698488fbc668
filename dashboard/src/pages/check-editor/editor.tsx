/** The form of a check: what it looks at, when and where, and how it is judged; drawn from the contract's schema. */
import {
  type CheckType,
  checkTypes,
  createCheckSchema,
  pushedTraitsOf,
  setLabelsSchema,
} from "@svc/contract";
import { useState } from "react";
import * as z from "zod";
import { fieldOf, type NamedField } from "../../forms/field-model.ts";
import { Fields, OneField } from "../../forms/fields.tsx";
import { changed } from "../../forms/form.tsx";
import { labelOf } from "../../forms/label.ts";
import { LocationsField } from "../../forms/locations-field.tsx";
import { type Path, pathText, withValueAt } from "../../forms/paths.ts";
import { DependsOnField, LabelsField } from "../../forms/pickers.tsx";
import { RecordForm, type RecordFormProps } from "../../forms/record-form.tsx";
import { startOf } from "../../forms/start-values.ts";
import { countText } from "../../time/format.ts";
import { bodyOf, type CheckDraft, configKeyOf, nameOfTarget, targetOf, withType } from "./body.ts";
import { CapacityHint } from "./capacity-hint.tsx";
import { requestOfCurl } from "./curl.ts";
import { withOperation } from "./openapi/fill.ts";
import { PasteOperation } from "./openapi/paste-operation.tsx";
import { type FailedLine, FailedLineContext } from "./script/failed-line.ts";
import { ScriptField } from "./script/script-field.tsx";
import { TestRunPanel } from "./test-run/panel.tsx";
import { withoutSecrets } from "./without-secrets.ts";

const FORM = fieldOf(createCheckSchema);
const VARIANTS = FORM.kind === "variants" ? FORM.variants : [];
const WIDGETS = {
  locations: LocationsField,
  "browserConfig.script": ScriptField,
  dependsOn: DependsOnField,
};
/** Rules of a draft: those of the body that creates a check. Labels are judged as they are added. */
const DRAFT_SCHEMA = z.preprocess((draft) => bodyOf(draft as CheckDraft), createCheckSchema);
/** The field of labels, which the check's own schema does not have. */
const LABELS: NamedField = { ...fieldOf(setLabelsSchema.shape.labels), name: "labels", hint: undefined };
const DAY_SECONDS = 86_400;
/** Fields that stand in the part "When and where"; the others of all types stand above them. */
const SCHEDULE = new Set(["enabled", "frequencySeconds", "locations", "retry"]);

/** Fields that say how a check is probed. */
const PROBING = new Set(["frequencySeconds", "locations", "retry"]);

/** Shows the form. @param props.isNew true: its type can be chosen */
export function CheckEditor({
  isNew,
  ...record
}: Pick<
  RecordFormProps<CheckDraft>,
  "storeKey" | "initial" | "proposed" | "cancelPath" | "save" | "reread"
> & {
  isNew: boolean;
}) {
  const [note, setNote] = useState("");
  const [failedLine, setFailedLine] = useState<FailedLine>();
  const afterChange = (draft: CheckDraft, path: Path, value: unknown): CheckDraft => {
    const pasted = typeof value === "string" && isUrlPath(draft, path) ? requestOfCurl(value) : undefined;
    if (!pasted) return named(draft, changed(draft, path, value));
    const { leftOut, ...request } = pasted;
    setNote(
      leftOut.length === 0
        ? "Filled in from the curl command."
        : `Filled in from the curl command, but for ${leftOut.join(", ")}: a check has no such setting.`,
    );
    const configKey = configKeyOf(draft.type);
    const config = { ...(draft[configKey] as object), ...request };
    return named(draft, withValueAt(draft, [configKey], config) as CheckDraft);
  };
  return (
    <FailedLineContext.Provider value={failedLine}>
      <RecordForm
        {...record}
        name="Check"
        schema={DRAFT_SCHEMA}
        widgets={WIDGETS}
        storable={withoutSecrets}
        afterChange={afterChange}
        // A change carries the configuration under another name than the body that creates a check.
        pathInDraft={(path, { type }) =>
          path[0] === "configJson" ? [configKeyOf(type), ...path.slice(1)] : path
        }
        beside={({ id, draft }) =>
          pushedTraitsOf(draft.type) ? null : (
            <TestRunPanel
              formId={id}
              draft={draft}
              checkId={isNew ? null : record.storeKey}
              onFailedLine={setFailedLine}
            />
          )
        }
      >
        {({ id, draft, put }) => (
          <>
            <p role="status">{note}</p>
            <section className="panel fields">
              <h2>What it looks at</h2>
              {isNew && <TypeChoice id={id} draft={draft} put={put} />}
              <Target draft={draft} />
              {draft.type === "http" && (
                <PasteOperation
                  url={targetOf(draft)}
                  onRequest={(request, text) => {
                    put(named(draft, withOperation(draft, request)));
                    setNote(text);
                  }}
                />
              )}
            </section>
            <section className="panel fields">
              <h2>When and where</h2>
              {fieldsOfType(draft.type).filter(isOfSchedule).map(drawField)}
              <p className="hint">{loadOf(draft)}</p>
              <CapacityHint draft={draft} checkId={isNew ? null : record.storeKey} />
            </section>
            <section className="panel fields">
              <h2>What it belongs to</h2>
              {fieldsOfType(draft.type).filter(isOfBelonging).map(drawField)}
              <LabelsField field={LABELS} path={["labels"]} label="Labels" />
            </section>
          </>
        )}
      </RecordForm>
    </FailedLineContext.Provider>
  );
}

function fieldsOfType(type: CheckType): readonly NamedField[] {
  const fields = VARIANTS.find(({ value }) => value === type)?.fields ?? [];
  return pushedTraitsOf(type) ? fields.filter(({ name }) => !PROBING.has(name)) : fields;
}

const isOfBelonging = ({ name }: NamedField) => name === "dependsOn";
const isOfSchedule = ({ name }: NamedField) => SCHEDULE.has(name);

function drawField(field: NamedField) {
  return <OneField key={field.name} field={field} path={[field.name]} label={labelOf(field.name)} />;
}

function TypeChoice({ id, draft, put }: { id: string; draft: CheckDraft; put(next: CheckDraft): void }) {
  const change = (type: CheckType) => {
    const configKey = configKeyOf(type);
    const config = fieldsOfType(type).find(({ name }) => name === configKey);
    if (config) put(withType(draft, type, startOf(config)));
  };
  return (
    <div className="field">
      <label htmlFor={`${id}-type`}>Type</label>
      <select
        id={`${id}-type`}
        value={draft.type}
        onChange={({ target }) => change(target.value as CheckType)}
      >
        {checkTypes.members.map(({ type, title, summary }) => (
          <option key={type} value={type}>
            {`${title}: ${summary}`}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The fields of the check's type, and its name. */
function Target({ draft: { type } }: { draft: CheckDraft }) {
  const configKey = configKeyOf(type);
  const fields = fieldsOfType(type);
  const config = fields.find(({ name }) => name === configKey);
  return (
    <>
      {fields.filter((field) => !isOfSchedule(field) && field.name !== configKey).map(drawField)}
      {config?.kind === "group" ? (
        <Fields key={configKey} fields={config.fields} path={[configKey]} />
      ) : (
        config && <OneField key={configKey} field={config} path={[configKey]} label="Configuration" />
      )}
    </>
  );
}

/** True for the path of the URL that a check of the draft's type requests. */
function isUrlPath(draft: CheckDraft, path: Path): boolean {
  const { configKey, targetField } = checkTypes.get(draft.type);
  return draft.type === "http" && pathText(path) === `${configKey}.${targetField}`;
}

/** Returns a draft that is named by its target as long as nobody gave it another name. */
function named(before: CheckDraft, next: CheckDraft): CheckDraft {
  const isOurs = (before.name ?? "") === "" || before.name === nameOfTarget(targetOf(before));
  const name = nameOfTarget(targetOf(next));
  return isOurs && next.name === before.name && name !== "" ? { ...next, name } : next;
}

function loadOf({ frequencySeconds, locations }: CheckDraft): string {
  const count = Array.isArray(locations) ? locations.length : 0;
  if (typeof frequencySeconds !== "number" || !(frequencySeconds > 0) || count === 0) return "";
  return `About ${countText(Math.round(DAY_SECONDS / frequencySeconds) * count, "run")} a day.`;
}
