/** The form of a record: draft, problems at their fields, saving, and what keeps work from being lost. */
import { type ComponentType, type FormEvent, type ReactNode, useId, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";
import type * as z from "zod";
import { RequestError } from "../api/request.ts";
import { ChangedMeanwhile, changedBetween } from "./changed-meanwhile.tsx";
import { DraftOffer } from "./draft-offer.tsx";
import { changed, FormProvider, ProblemSummary, type WidgetProps } from "./form.tsx";
import { labelOf } from "./label.ts";
import { useLeaveGuard } from "./leave-guard.tsx";
import type { Path } from "./paths.ts";
import { type FieldProblem, problemsOfAnswer, problemsOfDraft } from "./problems.ts";
import { forgetDraft, storeDraft } from "./stored-draft.ts";

/** How a draft is sent. */
export interface SaveOptions {
  /** True: also over a change that somebody else has made since the record was read. */
  isOverwriting: boolean;
}

/** What is edited, by which rules, and where it goes. */
export interface RecordFormProps<Draft extends Record<string, unknown>> {
  /** Accessible name of the form. */
  name: string;
  /** Rules of the body that the draft is. */
  schema: z.ZodType;
  /** Name of the draft that is kept over a reload: the record's id, or what is made. */
  storeKey: string;
  /** The record as it is stored; what differs from it is work to lose. */
  initial: Draft;
  /** What the form begins with, to be looked at and saved; default: the record as it is stored. */
  proposed?: Draft | undefined;
  cancelPath: string;
  /** Components for fields that need more than their schema says, by path. */
  widgets?: Readonly<Record<string, ComponentType<WidgetProps>>>;
  /** Returns a draft without what may be secret, to be kept. */
  storable(draft: Draft): Draft;
  /** Sends the draft; returns the path of the page to go on with. */
  save(draft: Draft, options: SaveOptions): Promise<string>;
  /** Reads what is stored now, after somebody else has changed it; absent for a record that is made. */
  reread?(): Promise<Draft>;
  /** Returns the draft after a change, where that is more than a value at its path. */
  afterChange?(draft: Draft, path: Path, value: unknown): Draft;
  /** Returns the path in the draft of a value that the service's refusal names. */
  pathInDraft?(path: Path, draft: Draft): Path;
  /** Shows the fields. */
  children(form: { id: string; draft: Draft; put(draft: Draft): void }): ReactNode;
  /** Shows what stands beside the form, in its state; absent: nothing does. */
  beside?(form: { id: string; draft: Draft }): ReactNode;
}

/** Shows the form, and before its first change offers a draft that an earlier visit left behind. */
export function RecordForm<Draft extends Record<string, unknown>>(props: RecordFormProps<Draft>) {
  return (
    <DraftOffer storeKey={props.storeKey} initial={props.proposed ?? props.initial}>
      {(begun) => <Form {...props} begun={begun as Draft} />}
    </DraftOffer>
  );
}

function Form<Draft extends Record<string, unknown>>({
  begun,
  ...props
}: RecordFormProps<Draft> & { begun: Draft }) {
  const { name, schema, storeKey, initial, cancelPath, widgets, save, reread, children } = props;
  const formId = useId();
  const [, navigate] = useLocation();
  // As it was when this form last agreed with the service, which may have gone on since.
  const [base, setBase] = useState(initial);
  const [draft, setDraft] = useState(begun);
  const [problems, setProblems] = useState<readonly FieldProblem[]>([]);
  const [attempts, setAttempts] = useState(0);
  const [theirs, setTheirs] = useState<Draft>();
  const [isSaving, setSaving] = useState(false);
  const isDirty = useMemo(() => JSON.stringify(draft) !== JSON.stringify(base), [draft, base]);
  const guard = useLeaveGuard(isDirty, () => forgetDraft(storeKey));

  const put = (next: Draft) => {
    setDraft(next);
    storeDraft(storeKey, props.storable(next));
    // What was said of a draft that was sent is looked at again as it is mended.
    if (problems.length > 0) setProblems(problemsOfDraft(schema, next));
  };
  const change = (path: Path, value: unknown) =>
    put(props.afterChange?.(draft, path, value) ?? changed(draft, path, value));
  const refuse = (found: readonly FieldProblem[]) => {
    setProblems(found);
    if (found.length > 0) setAttempts((count) => count + 1);
  };
  const refuseBy = (error: unknown) =>
    refuse(
      problemsOfError(error).map(({ path, message }) => ({
        path: props.pathInDraft?.(path, draft) ?? path,
        message,
      })),
    );
  const submit = async (options: SaveOptions) => {
    if (isSaving) return;
    setTheirs(undefined);
    const found = problemsOfDraft(schema, draft);
    refuse(found);
    if (found.length > 0) return;
    setSaving(true);
    try {
      const path = await save(draft, options);
      forgetDraft(storeKey);
      guard.leave(() => navigate(path));
    } catch (error) {
      const isChanged = error instanceof RequestError && error.status === 412;
      if (isChanged && reread) await reread().then((stored) => setTheirs(stored), refuseBy);
      else refuseBy(error);
    } finally {
      setSaving(false);
    }
  };
  return (
    <FormProvider state={{ id: formId, draft, problems, change, ...(widgets && { widgets }) }}>
      <div className={props.beside ? "form-and-beside" : undefined}>
        <form
          aria-label={name}
          className="editor"
          noValidate
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            void submit({ isOverwriting: false });
          }}
        >
          <ProblemSummary formId={formId} problems={problems} attempts={attempts} labelOfPath={labelOfPath} />
          {children({ id: formId, draft, put })}
          <div className="row">
            <button type="submit" disabled={isSaving}>
              Save
            </button>
            <Link href={cancelPath}>Cancel</Link>
          </div>
        </form>
        {props.beside?.({ id: formId, draft })}
      </div>
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

/** Returns the name of the field at a path, as its label says it. */
export function labelOfPath(path: Path): string {
  const names = path.filter((key) => typeof key === "string");
  const last = path.at(-1);
  const label = labelOf(names.at(-1) ?? "");
  return typeof last === "number" ? `${label} ${last + 1}` : label;
}

/** Returns what the service says of a draft, at the fields that it names. */
function problemsOfError(error: unknown): FieldProblem[] {
  const { message } = error as Error;
  const details = error instanceof RequestError ? error.details : [];
  return details.length === 0 ? [{ path: [], message }] : problemsOfAnswer(details);
}
