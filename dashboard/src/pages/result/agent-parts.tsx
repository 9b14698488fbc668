/** How a target treats AI agents: by their names, by what it offers them, and what its page is to them. */
import type { resultRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { resultStates, type StateWord } from "../../status/words.ts";
import { durationText, numberText, percentText } from "../../time/format.ts";
import { Figures, FigureValue } from "../../ui/figure-value.tsx";
import { Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

type Shown = Answer<typeof resultRoutes.get>["result"];
type Present<Field extends keyof Shown> = NonNullable<Shown[Field]>;

/** The treatments of a persona that differ from that of the check's own request. */
const DIVERGENCES = {
  blocked: { word: "Blocked", mark: "failing" },
  challenged: { word: "Challenged", mark: "slow" },
  assertion_failed: { word: "Assertion failed", mark: "failing" },
  error: { word: "Error", mark: "error" },
} as const satisfies Record<string, StateWord>;
const ALIKE = { word: "As any client", mark: "good" } as const satisfies StateWord;

/** The outcomes of the readiness probes. */
const READINESS = {
  pass: { word: "Pass", mark: "good" },
  fail: { word: "Fail", mark: "failing" },
  missing: { word: "Missing", mark: "unknown" },
  skipped: { word: "Skipped", mark: "quiet" },
} as const satisfies Record<string, StateWord>;

/** Shows the parts that the result has. */
export function AgentParts({
  result: { agentPersonaParityJson: personas, agentReadinessJson: readiness, agentViewJson: view },
}: {
  result: Shown;
}) {
  return (
    <>
      {personas && <Personas parity={personas} />}
      {readiness && <Readiness report={readiness} />}
      {view && <AgentView view={view} />}
    </>
  );
}

function Personas({ parity }: { parity: Present<"agentPersonaParityJson"> }) {
  const { baselineBodyBytes, baselineContentType, results } = parity;
  return (
    <Panel title="Personas">
      <p>
        The check's own request got {numberText(baselineBodyBytes)} bytes
        {baselineContentType !== null && (
          <>
            {" "}
            of <Text>{baselineContentType}</Text>
          </>
        )}
        .
      </p>
      <Table
        name="Personas"
        rows={results}
        keyOf={({ persona }) => persona}
        columns={[
          { title: "Persona", cell: ({ persona }) => <Text>{persona}</Text> },
          {
            title: "Treated",
            cell: ({ divergence }) => <State state={divergence ? DIVERGENCES[divergence] : ALIKE} />,
          },
          { title: "Why", cell: ({ divergenceReason }) => <Text>{divergenceReason ?? ""}</Text> },
          { title: "Status", cell: ({ status }) => <State state={resultStates[status]} /> },
          { title: "HTTP status", cell: ({ httpStatusCode }) => httpStatusCode ?? "none" },
          { title: "Took", cell: ({ responseTimeMs }) => durationText(responseTimeMs) },
          { title: "Body", cell: ({ bodyBytes }) => `${numberText(bodyBytes)} bytes` },
        ]}
      />
    </Panel>
  );
}

function Readiness({ report }: { report: Present<"agentReadinessJson"> }) {
  const { score, probes, robotsAgents, contentSignals } = report;
  const signals = Object.entries(contentSignals);
  return (
    <Panel title="Agent readiness">
      <Figures>
        <FigureValue title="Score" note="of 100">
          {numberText(score)}
        </FigureValue>
      </Figures>
      <h3>What the site offers</h3>
      <Table
        name="Readiness probes"
        rows={probes}
        keyOf={({ id }) => id}
        columns={[
          { title: "Probe", cell: ({ id }) => <Text>{id.replaceAll("_", " ")}</Text> },
          { title: "Outcome", cell: ({ status }) => <State state={READINESS[status]} /> },
          {
            title: "Finding",
            cell: ({ summary, details }) => <Text>{[summary, ...(details ?? [])].join("; ")}</Text>,
          },
        ]}
      />
      {robotsAgents.length > 0 && (
        <>
          <h3>Agents in robots.txt</h3>
          <Table
            name="Agents in robots.txt"
            rows={robotsAgents}
            keyOf={({ agent }) => agent}
            columns={[
              { title: "Agent", cell: ({ agent }) => <Text>{agent}</Text> },
              { title: "May read", cell: ({ allowed }) => (allowed ? "Allowed" : "Not allowed") },
              { title: "Rule", cell: ({ rule }) => <Text>{rule ?? "no rule"}</Text> },
            ]}
          />
        </>
      )}
      {signals.length > 0 && (
        <>
          <h3>Content signals</h3>
          <Table
            name="Content signals"
            rows={signals}
            keyOf={([name]) => name}
            columns={[
              { title: "Signal", cell: ([name]) => <Text>{name}</Text> },
              { title: "Value", cell: ([, value]) => <Text>{value}</Text> },
            ]}
          />
        </>
      )}
    </Panel>
  );
}

function AgentView({ view: { noJs, controls } }: { view: Present<"agentViewJson"> }) {
  const examples = [...new Set(controls.examples)];
  return (
    <Panel title="Agent view">
      <Figures>
        {noJs && (
          <FigureValue
            title="Text without scripts"
            note={`${numberText(noJs.rawTextChars)} of ${numberText(noJs.renderedTextChars)} characters`}
          >
            {percentText(noJs.ratio)}
          </FigureValue>
        )}
        <FigureValue title="Controls without a name" note={`of ${numberText(controls.total)} controls`}>
          {numberText(controls.unnamed)}
        </FigureValue>
      </Figures>
      {!noJs && <p className="quiet">The HTML as served could not be read back.</p>}
      {examples.length > 0 && (
        <>
          <h3>Controls that have no name</h3>
          <ul aria-label="Controls without a name">
            {examples.map((example) => (
              <li key={example}>
                <Text>{example}</Text>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}
