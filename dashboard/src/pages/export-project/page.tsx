/** The team's checks, alert rules, channels, SLOs and third-party patterns as the files of a config. */
import { useQuery } from "@tanstack/react-query";
import { teamAsCodeQuery } from "../../api/queries/as-code.ts";
import { ConfigFiles } from "../../ui/config-files.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the files, with what they leave out. */
export default function ExportProject() {
  const query = useQuery(teamAsCodeQuery);
  return (
    <Page title="Export project">
      <p>
        Put these files into a repository: <code>npx svc diff</code> there finds nothing to change, and{" "}
        <code>npx svc deploy</code> applies what you change in them. Request bodies and scripts are written as
        they are: look for secrets in them before you commit.
      </p>
      <Loaded query={query}>
        {({ files, secrets, unmanaged, reason }) => (
          <Panel title="Files">
            {reason !== null && <Empty>{reason}</Empty>}
            <ConfigFiles files={files} secrets={secrets} />
            {unmanaged.length > 0 && (
              <>
                <h3>Left out</h3>
                <ul className="plain" aria-label="Left out">
                  {unmanaged.map(({ id, name, reason: why }) => (
                    <li key={id}>
                      <Text>{name}</Text>{" "}
                      <span className="quiet">
                        <Text>{why}</Text>
                      </span>
                    </li>
                  ))}
                </ul>
              </>
            )}
          </Panel>
        )}
      </Loaded>
    </Page>
  );
}
