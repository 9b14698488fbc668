/** The form of a check: what it looks at, when and where, and how it is judged; drawn from the contract's schema. */
import { type CheckType, checkTypes, createCheckSchema } from "@svc/contract";
import { type FormEvent, useId, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import { RequestError } from "../../api/request.ts";
import { fieldOf, type NamedField } from "../../forms/field-model.ts";
import { Fields, OneField } from "../../forms/fields.tsx";
import { changed, FormProvider, ProblemSummary } from "../../forms/form.tsx";
import { labelOf } from "../../forms/label.ts";
import { type Path, pathText, withValueAt } from "../../forms/paths.ts";
import { type FieldProblem, problemsOfAnswer, problemsOfDraft } from "../../forms/problems.ts";
import { startOf } from "../../forms/start-values.ts";
import { countText } from "../../time/format.ts";
import { type CheckDraft, configKeyOf, nameOfTarget, targetOf } from "./body.ts";
import { ChangedMeanwhile, changedBetween } from "./changed-meanwhile.tsx";
import { requestOfCurl } from "./curl.ts";
import { useLeaveGuard } from "./leave-guard.tsx";
import { LocationsField } from "./locations-field.tsx";
import { forgetDraft, storeDraft } from "./stored-draft.ts";

const FORM = fieldOf(createCheckSchema);
const VARIANTS = FORM.kind === "variants" ? FORM.variants : [];
const WIDGETS = { locations: LocationsField };
const DAY_SECONDS = 86_400;
/** Fields that stand in the part "When and where"; the others of all types stand above them. */
const SCHEDULE = new Set(["enabled", "frequencySeconds", "locations", "retry"]);

/** How a draft is sent. */
export interface SaveOptions {
  /** True: also over a change that somebody else has made since the record was read. */
  isOverwriting: boolean;
}

/**
 * Shows the form.
 * @param props.storeKey the check that is edited, or `new`: name of its draft
 * @param props.initial the check as it is stored; what differs from it is work to lose
 * @param props.begun what the form begins with, when that is a draft of an earlier visit
 * @param props.save sends the draft; returns the path of the page to go on with
 * @param props.reread reads what is stored now, after somebody else has changed it
 */
export function CheckEditor({
  storeKey,
  initial,
  begun = initial,
  isNew,
  cancelPath,
  save,
  reread,
}: {
  storeKey: string;
  initial: CheckDraft;
  begun?: CheckDraft;
  isNew: boolean;
  cancelPath: string;
  save(draft: CheckDraft, options: SaveOptions): Promise<string>;
  reread?(): Promise<CheckDraft>;
}) {
  const formId = useId();
  const [, navigate] = useLocation();
  // As it was when this form last agreed with the service, which may have gone on since.
  const [base, setBase] = useState(initial);
  const [draft, setDraft] = useState(begun);
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const [attempts, setAttempts] = useState(0);
  const [theirs, setTheirs] = useState<CheckDraft>();
  const [note, setNote] = useState("");
  const [isSaving, setSaving] = useState(false);
  const isDirty = useMemo(() => JSON.stringify(draft) !== JSON.stringify(base), [draft, base]);
  const guard = useLeaveGuard(isDirty, () => forgetDraft(storeKey));
  const fields = VARIANTS.find(({ value }) => value === draft.type)?.fields ?? [];
  const configKey = configKeyOf(draft.type);

  const put = (next: CheckDraft) => {
    setDraft(next);
    storeDraft(storeKey, next);
    // What was said of a draft that was sent is looked at again as it is mended.
    if (problems.length > 0) setProblems(problemsOfDraft(createCheckSchema, next));
  };
  const change = (path: Path, value: unknown) => {
    const pasted = typeof value === "string" && isUrlPath(draft, path) ? requestOfCurl(value) : undefined;
    if (pasted) {
      const { leftOut, ...request } = pasted;
      setNote(
        leftOut.length === 0
          ? "Filled in from the curl command."
          : `Filled in from the curl command, but for ${leftOut.join(", ")}: a check has no such setting.`,
      );
      const config = { ...(draft[configKey] as object), ...request };
      return put(named(draft, withValueAt(draft, [configKey], config) as CheckDraft));
    }
    put(named(draft, changed(draft, path, value)));
  };
  const changeType = (type: string) => {
    const variant = VARIANTS.find(({ value }) => value === type);
    const config = variant?.fields.find(({ name }) => name === configKeyOf(type as CheckType));
    if (!config) return;
    const { [configKey]: _config, ...common } = draft;
    put({ ...common, type: type as CheckType, [config.name]: startOf(config) });
  };
  const submit = async (options: SaveOptions) => {
    if (isSaving) return;
    setTheirs(undefined);
    const refuse = (found: readonly FieldProblem[]) => {
      setProblems(found);
      if (found.length > 0) setAttempts((count) => count + 1);
    };
    const found = problemsOfDraft(createCheckSchema, draft);
    refuse(found);
    if (found.length > 0) return;
    setSaving(true);
    try {
      const path = await save(draft, options);
      forgetDraft(storeKey);
      guard.leave(() => navigate(path));
    } catch (error) {
      if (error instanceof RequestError && error.status === 412 && reread)
        await reread().then(setTheirs, (failure) => refuse(problemsOfError(failure, configKey)));
      else refuse(problemsOfError(error, configKey));
    } finally {
      setSaving(false);
    }
  };
  const draw = (field: NamedField) => (
    <OneField key={field.name} field={field} path={[field.name]} label={labelOf(field.name)} />
  );
  const isSchedule = ({ name }: NamedField) => SCHEDULE.has(name);
  const config = fields.find(({ name }) => name === configKey);
  return (
    <FormProvider state={{ id: formId, draft, problems, change, widgets: WIDGETS }}>
      <form
        aria-label="Check"
        className="editor"
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void submit({ isOverwriting: false });
        }}
      >
        <ProblemSummary formId={formId} problems={problems} attempts={attempts} labelOfPath={labelOfPath} />
        <p role="status">{note}</p>
        <section className="panel fields">
          <h2>What it looks at</h2>
          {isNew && (
            <div className="field">
              <label htmlFor={`${formId}-type`}>Type</label>
              <select
                id={`${formId}-type`}
                value={draft.type}
                onChange={({ target }) => changeType(target.value)}
              >
                {checkTypes.members.map(({ type, summary }) => (
                  <option key={type} value={type}>
                    {`${labelOf(type)}: ${summary}`}
                  </option>
                ))}
              </select>
            </div>
          )}
          {fields
            .filter((field) => !isSchedule(field) && field.name !== configKey && field.name !== "type")
            .map(draw)}
          {config?.kind === "group" ? (
            <Fields key={configKey} fields={config.fields} path={[configKey]} />
          ) : (
            config && <OneField key={configKey} field={config} path={[configKey]} label="Configuration" />
          )}
        </section>
        <section className="panel fields">
          <h2>When and where</h2>
          {fields.filter(isSchedule).map(draw)}
          <p className="hint">{loadOf(draft)}</p>
        </section>
        <div className="row">
          <button type="submit" disabled={isSaving}>
            Save
          </button>
          <Link href={cancelPath}>Cancel</Link>
        </div>
      </form>
      {guard.dialog}
      {theirs && (
        <ChangedMeanwhile
          fields={changedBetween(base, theirs)}
          onOverwrite={() => void submit({ isOverwriting: true })}
          onReload={() => {
            forgetDraft(storeKey);
            setBase(theirs);
            setDraft(theirs);
            setProblems([]);
            setTheirs(undefined);
          }}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </FormProvider>
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

function labelOfPath(path: Path): string {
  const names = path.filter((key) => typeof key === "string");
  const last = path.at(-1);
  const label = labelOf(names.at(-1) ?? "");
  return typeof last === "number" ? `${label} ${last + 1}` : label;
}

/** Returns what the service says of a draft, at the fields that it names. */
function problemsOfError(error: unknown, configKey: string): FieldProblem[] {
  const { message } = error as Error;
  const details = error instanceof RequestError ? error.details : [];
  if (details.length === 0) return [{ path: [], message }];
  // A change carries the configuration under another name than the body that creates a check.
  return problemsOfAnswer(details).map(({ path, message }) => ({
    path: path[0] === "configJson" ? [configKey, ...path.slice(1)] : path,
    message,
  }));
}
