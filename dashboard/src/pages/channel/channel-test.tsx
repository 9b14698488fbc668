/** The test of a channel, about an event of choice. */
import { useState } from "react";
import { TestChannel, type TestEvent } from "../../shell/test-channel.tsx";
import { Choice } from "../../ui/choice.tsx";

/** The events in words, in the order in which they happen. */
const EVENTS: Readonly<Record<TestEvent, string>> = {
  triggered: "An alert begins",
  escalated: "An alert becomes graver",
  recovered: "An alert recovers",
  resolved: "An alert is resolved",
  opened: "An incident opens",
  alert_attached: "An alert joins an incident",
  severity_changed: "An incident's severity changes",
  acknowledged: "Somebody acknowledges",
  auto_resolved: "An incident ends by itself",
  closed: "An incident is closed",
  reopened: "An incident is reopened",
  unacknowledged: "Nobody acknowledges an incident",
  note_added: "A note is added",
  "location.health_changed": "A location's health changes",
};

/** Shows the choice of the event, and the button. */
export function ChannelTest({ id }: { id: string }) {
  const [chosen, setChosen] = useState<TestEvent | "">("");
  return (
    <>
      <Choice
        label="Event"
        value={chosen}
        options={[["", "The usual one"], ...Object.entries(EVENTS)]}
        onChoose={(value) => setChosen(value as TestEvent | "")}
      />
      <TestChannel id={id} eventType={chosen === "" ? undefined : chosen} />
    </>
  );
}
