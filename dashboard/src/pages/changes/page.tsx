/** The changes of the configuration. The filter stands in the address. */
import { useQuery } from "@tanstack/react-query";
import { changesQuery } from "../../api/queries/changes.ts";
import { ChangeList } from "../../shell/change-list.tsx";
import { Choice } from "../../ui/choice.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { useFilter } from "../../ui/use-filter.ts";
import { CHANGED_TYPES, SOURCES } from "./choices.ts";

/** Shows the newest changes that the address asks for. */
export default function Changes() {
  const { value, set } = useFilter({ type: "", source: "" });
  const [type, source] = [value("type"), value("source")];
  const changes = useQuery(changesQuery({ ...(type && { type }), ...(source && { source }) }));
  return (
    <Page title="Changes">
      <div className="row">
        <Choice
          label="What"
          value={type}
          options={CHANGED_TYPES}
          onChoose={(chosen) => set("type", chosen)}
        />
        <Choice label="From" value={source} options={SOURCES} onChoose={(chosen) => set("source", chosen)} />
      </div>
      <Loaded query={changes}>
        {({ changes: rows }) =>
          rows.length === 0 ? (
            <Empty>{type || source ? "No change is like that." : "Nothing was changed yet."}</Empty>
          ) : (
            <ChangeList name="Changes" changes={rows} />
          )
        }
      </Loaded>
    </Page>
  );
}
