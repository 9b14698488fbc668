/** A check's settings, and who changed them. */
import { checkTypeTitle, pushedTraitsOf } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { changesQuery } from "../../api/queries/changes.ts";
import { ChangeList } from "../../shell/change-list.tsx";
import { restorePath } from "../../shell/check-paths.ts";
import { useMayChange } from "../../shell/session.tsx";
import { durationText } from "../../time/format.ts";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Text, Verbatim } from "../../ui/text.tsx";
import type { TabProps } from "./tab-props.ts";

/** Shows the settings without secrets, and below them the newest changes. */
export function ConfigTab({ check, nameOf }: TabProps) {
  const { id, type, configJson, frequencySeconds, locations, retry } = check;
  const mayChange = useMayChange();
  const changes = useQuery(changesQuery({ resourceId: id }));
  return (
    <>
      <Panel title="Configuration">
        <p>
          Type {checkTypeTitle(type)},{" "}
          {pushedTraitsOf(type) ? (
            "reports by itself"
          ) : (
            <>
              every {durationText(frequencySeconds * 1000)} from{" "}
              <Text>{locations.map(nameOf).join(", ")}</Text>
            </>
          )}
          . Secrets are shown as ***.
        </p>
        <Verbatim label="Configuration as JSON">
          {JSON.stringify({ ...configJson, retry }, undefined, 2)}
        </Verbatim>
      </Panel>
      <Panel title="Changes of this check">
        <Loaded query={changes}>
          {({ changes: all }) =>
            all.length === 0 ? (
              <Empty>No change of it is known any more.</Empty>
            ) : (
              <ChangeList
                name="Changes of this check"
                changes={all}
                actionOf={
                  mayChange
                    ? (change) =>
                        change.action === "updated" && (
                          <Link href={restorePath(id, change.id)}>Restore values from before this</Link>
                        )
                    : undefined
                }
              />
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}
