/** What a webhook channel sends of an event, as an example. */
import { numberText } from "../../time/format.ts";
import { Empty } from "../../ui/panel.tsx";
import { Text, Verbatim } from "../../ui/text.tsx";
import type { BodyPreview as Preview } from "./use-body-preview.ts";

/** Shows headers and body. @param props.hasTemplate false: there is no template for the event */
export function BodyPreview({
  of: { preview, isBehind, problem, failure },
  hasTemplate,
}: {
  of: Preview;
  hasTemplate: boolean;
}) {
  return (
    <section aria-label="Preview">
      <h2>Preview</h2>
      {failure !== undefined ? (
        <p role="alert" className="refusal">
          {failure}
        </p>
      ) : !preview ? (
        <p className="loading" aria-busy="true">
          Rendering an example …
        </p>
      ) : (
        <>
          <p role="status">
            {isBehind
              ? "Rendering what you wrote …"
              : hasTemplate && problem === undefined
                ? "An example, as your template gives it."
                : hasTemplate
                  ? "The template can't be used: until it is mended, this default body is sent."
                  : "An example of the default body, which is sent without a template."}
          </p>
          <Verbatim label="Headers">
            {Object.entries(preview.headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join("\n")}
          </Verbatim>
          <Verbatim label="Body">{preview.body}</Verbatim>
          {preview.body.length < preview.characters && (
            <Empty>
              <Text>{`The beginning of ${numberText(preview.characters)} characters.`}</Text>
            </Empty>
          )}
        </>
      )}
    </section>
  );
}
