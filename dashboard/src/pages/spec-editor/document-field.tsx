/** A document that is chosen as a file or pasted. */
import { SPEC_CONTENT_BYTES_MAX } from "@svc/contract";
import { useState } from "react";
import { FieldNotes, useField, type WidgetProps } from "../../forms/form.tsx";

/** Shows a file chooser, and below it the text. */
export function DocumentField({ field, path }: WidgetProps) {
  const bound = useField(path, field.hint);
  const [refusal, setRefusal] = useState("");
  const read = async (file: File | undefined) => {
    if (!file) return;
    const isTooLarge = file.size > SPEC_CONTENT_BYTES_MAX;
    setRefusal(isTooLarge ? `${file.name} has ${file.size} bytes; a document has at most 10 MiB` : "");
    if (!isTooLarge) bound.set(await file.text());
  };
  return (
    <>
      <label className="field">
        File
        <input
          type="file"
          accept=".json,.yaml,.yml"
          onChange={({ target }) => void read(target.files?.[0])}
        />
      </label>
      {refusal !== "" && (
        <p role="alert" className="refusal">
          {refusal}
        </p>
      )}
      <div className="field">
        <label htmlFor={bound.input.id}>Content</label>
        <textarea
          {...bound.input}
          className="code"
          rows={12}
          spellCheck={false}
          value={typeof bound.value === "string" ? bound.value : ""}
          onChange={({ target }) => bound.set(target.value)}
        />
        <FieldNotes bound={bound} hint={field.hint} />
      </div>
    </>
  );
}
