/** The form of a private location. */
import { createLocationSchema } from "@svc/contract";
import { Fields } from "../../forms/fields.tsx";
import { ChannelsField } from "../../forms/pickers.tsx";
import { draftOfRecord, shownFields } from "../../forms/record-fields.ts";
import { RecordForm, type RecordFormProps } from "../../forms/record-form.tsx";
import "../../forms/forms.css";

const WIDGETS = { channelIds: ChannelsField };
/** A coordinate or another name need not be there: an empty input leaves it out. */
const FIELDS = shownFields(createLocationSchema).map((field) => ({
  ...field,
  isRequired: field.name === "name" || field.name === "channelIds",
}));

/** Body of the request that creates a location, as far as it is filled in. */
export type LocationDraft = Record<string, unknown>;

/** Shows the form. */
export function LocationForm(
  record: Pick<RecordFormProps<LocationDraft>, "storeKey" | "initial" | "cancelPath" | "save">,
) {
  return (
    <RecordForm
      {...record}
      name="Private location"
      schema={createLocationSchema}
      widgets={WIDGETS}
      storable={(draft) => draft}
    >
      {() => (
        <section className="panel fields">
          <Fields fields={FIELDS} path={[]} />
        </section>
      )}
    </RecordForm>
  );
}

/** Returns the fields of a stored location that the form has. */
export function draftOfLocation(location: Readonly<Record<string, unknown>>): LocationDraft {
  return draftOfRecord(FIELDS, location);
}
