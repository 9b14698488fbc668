/** The files of a config: the config itself, its scripts, and the variables that stand for its secrets. */
import { Copy } from "./copy.tsx";
import { download } from "./download.ts";
import { Text } from "./text.tsx";

/** Lines of a file that are shown at once; the rest scrolls. */
const LINES_SHOWN_MAX = 30;

/** Shows the files, each to be copied or saved. */
export function ConfigFiles({
  files,
  secrets,
}: {
  files: readonly { path: string; text: string }[];
  secrets: readonly string[];
}) {
  return (
    <>
      {secrets.length > 0 && (
        <>
          <p>Credentials are not written. Set these variables where you run svc:</p>
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
