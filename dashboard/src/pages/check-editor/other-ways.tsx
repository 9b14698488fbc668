/** The ways to make a check without this form. */
import { Copy } from "../../ui/copy.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Verbatim } from "../../ui/text.tsx";

/** Shows the ways, each with its commands. */
export function OtherWays() {
  const { origin } = location;
  return (
    <details>
      <summary>Other ways to make a check: as code, by the API, from an OpenAPI document</summary>
      <Panel title="As code, with the command line">
        <p>
          Writes a config that you keep in your repository, and applies it. A later deploy changes what you
          changed.
        </p>
        <Commands
          label="Commands of the command line"
          text={`npx svc login --api-url ${origin}
npx svc init --url https://example.com
npx svc deploy --wait`}
        />
      </Panel>
      <Panel title="By the API">
        <p>
          Needs an{" "}
          <PageLink page="keys" parameters={{}}>
            API key
          </PageLink>
          . All fields are in the <a href="/docs">API reference</a>.
        </p>
        <Commands
          label="Request to the API"
          text={`curl -X POST ${origin}/api/checks \\
  -H "Authorization: Bearer $SVC_API_KEY" -H "Content-Type: application/json" \\
  -d '{"name": "Home page", "type": "http", "frequencySeconds": 60, "locations": ["loc_eu_central"],
       "httpConfig": {"url": "https://example.com/", "assertions": [{"type": "status_code", "value": 200}]}}'`}
        />
      </Panel>
      <Panel title="From an OpenAPI document">
        <p>Stores the document, and makes a check for each of its operations that reads.</p>
        <Commands
          label="Commands for an OpenAPI document"
          text={`npx svc specs upload openapi.yaml   # answers the id of the spec
curl -X POST ${origin}/api/specs/$SPEC_ID/generate-checks \\
  -H "Authorization: Bearer $SVC_API_KEY" -H "Content-Type: application/json" \\
  -d '{"locations": ["loc_eu_central"]}'`}
        />
      </Panel>
    </details>
  );
}

function Commands({ label, text }: { label: string; text: string }) {
  return (
    <div className="commands">
      <Verbatim label={label}>{text}</Verbatim>
      <Copy text={text} />
    </div>
  );
}
