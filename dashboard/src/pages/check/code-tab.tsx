/** A check as code: what `svc pull` would write of it, to be copied into a project. */
import { useQuery } from "@tanstack/react-query";
import { asCodeQuery } from "../../api/queries/as-code.ts";
import { ConfigFiles } from "../../ui/config-files.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import type { TabProps } from "./tab-props.ts";

/** Shows the files of the check's config, and the secrets that they refer to. */
export function CodeTab({ check }: TabProps) {
  const query = useQuery(asCodeQuery(check.id));
  return (
    <Panel title="As code">
      <Loaded query={query}>
        {({ project, files, secrets, reason }) => (
          <>
            {project !== null && (
              <p>
                Managed by project <Text>{project}</Text>: change it there. A change made here is drift for
                its next deploy.
              </p>
            )}
            {reason !== null && <Empty>{reason}</Empty>}
            <ConfigFiles files={files} secrets={secrets} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}
