/** How to begin: three ways to a first check, and the steps after it that have not been done yet. */
import { pagePath } from "@svc/contract";
import { useState } from "react";
import { Link } from "wouter";
import type { OverviewAnswer } from "../../api/queries/overview.ts";
import { Copy } from "../../ui/copy.tsx";
import { Panel } from "../../ui/panel.tsx";

type SetUp = OverviewAnswer["setUp"];

/** Name under which the browser keeps that somebody wants to see the list no more. */
const DISMISSED_AS = "svc.first-steps-dismissed";
const INIT = "npx svc init --url https://example.com";
const DEPLOY = "npx svc deploy --wait";

/** Shows the ways to a first check. */
export function Welcome({ setUp }: { setUp: SetUp }) {
  return (
    <>
      <p>Nothing is watched yet. There are three ways to begin:</p>
      <div className="ways">
        <Panel title="Make a check">
          <p>Name an address, how often it is asked, and from where.</p>
          <Link className="button" href={pagePath("newCheck", {})}>
            New check
          </Link>
        </Panel>
        <Panel title="Import an OpenAPI document">
          <p>Upload the document of an API, and choose the operations that get a check.</p>
          <Link className="button quiet-button" href={pagePath("specs", {})}>
            API specs
          </Link>
        </Panel>
        <Panel title="Deploy from a file">
          <p>Keep checks beside your code, in svc.config.yaml. svc init writes a first one:</p>
          <pre>
            {INIT}
            {"\n"}
            {DEPLOY}
          </pre>
          <Copy text={`${INIT}\n${DEPLOY}`} label="Copy commands" />
        </Panel>
      </div>
      <FirstSteps setUp={setUp} hasCheck={false} />
    </>
  );
}

/** Shows the first steps with those that are done, until all are or somebody dismisses the list. */
export function FirstSteps({ setUp, hasCheck = true }: { setUp: SetUp; hasCheck?: boolean }) {
  const [isDismissed, setIsDismissed] = useState(wasDismissed);
  const steps = [
    { text: "Watch something: a first check", isDone: hasCheck, href: pagePath("checks", {}) },
    { text: "Say who is called: a channel", isDone: setUp.channel, href: pagePath("channels", {}) },
    { text: "Say when: an alert rule on a check", isDone: setUp.rule, href: pagePath("checks", {}) },
    { text: "Keep it beside your code: svc deploy", isDone: setUp.deploy, href: pagePath("deployments", {}) },
  ];
  if (isDismissed || steps.every(({ isDone }) => isDone)) return null;
  const dismiss = () => {
    try {
      localStorage.setItem(DISMISSED_AS, "yes");
    } catch {
      // Storage is switched off: the list is gone until the page is loaded anew.
    }
    setIsDismissed(true);
  };
  return (
    <Panel title="First steps">
      <ol className="plain first-steps">
        {steps.map(({ text, isDone, href }) => (
          <li key={text}>
            <span className={isDone ? "step-word good" : "step-word quiet"}>{isDone ? "Done" : "To do"}</span>
            {isDone ? text : <Link href={href}>{text}</Link>}
          </li>
        ))}
      </ol>
      <button type="button" className="quiet-button" onClick={dismiss}>
        Dismiss
      </button>
    </Panel>
  );
}

function wasDismissed(): boolean {
  try {
    return localStorage.getItem(DISMISSED_AS) !== null;
  } catch {
    return false;
  }
}
