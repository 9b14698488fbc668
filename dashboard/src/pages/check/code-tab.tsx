/** A check as code: what `svc pull` would write of it, to be copied into a project. */
import { useQuery } from "@tanstack/react-query";
import { asCodeQuery } from "../../api/queries/checks.ts";
import { Copy } from "../../ui/copy.tsx";
import { download } from "../../ui/download.ts";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";
import type { TabProps } from "./tab-props.ts";

/** Lines of a file that are shown at once; the rest scrolls. */
const LINES_SHOWN_MAX = 30;

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
            {secrets.length > 0 && (
              <>
                <p>Secrets are not written. Set these variables where you run svc:</p>
                <ul aria-label="Variables to set">
                  {secrets.map((name) => (
                    <li key={name}>
                      <code>{name}</code>
                    </li>
                  ))}
                </ul>
              </>
            )}
            {files.map(({ path, text }) => (
              <File key={path} path={path} text={text} />
            ))}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function File({ path, text }: { path: string; text: string }) {
  const isConfig = path.endsWith(".yaml");
  const lines = text.split("\n").length;
  return (
    <div className="file">
      <div className="card-head">
        <h3>
          <Text>{path}</Text>
        </h3>
        <Copy text={text} label={isConfig ? "Copy as YAML" : "Copy"} />
        <button
          type="button"
          className="quiet-button"
          onClick={() => download(path.replace(/^.*\//, ""), text)}
        >
          Download
        </button>
      </div>
      <textarea
        className="code"
        aria-label={isConfig ? "YAML" : path}
        readOnly
        spellCheck={false}
        rows={Math.min(lines, LINES_SHOWN_MAX)}
        value={text}
      />
    </div>
  );
}
