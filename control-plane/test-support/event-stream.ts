/** A client of the live stream over a real connection, as a browser reads it. */
import { once } from "node:events";
import http from "node:http";
import { type LiveEventData, type LiveEventName, liveEventSchemas } from "@svc/contract";
import { expect, vi } from "vitest";

/** An event as it came. */
interface ReceivedEvent {
  id: string | undefined;
  name: LiveEventName;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the event holds
  data: any;
}

/** An open stream; close it. */
export interface EventStream {
  status: number;
  headers: http.IncomingHttpHeaders;
  events: ReceivedEvent[];
  /** True once the service has ended the stream. */
  hasEnded(): boolean;
  /** Waits for an event of this name that came or comes. */
  next<Name extends LiveEventName>(
    name: Name,
    matches?: (data: LiveEventData<Name>) => boolean,
  ): Promise<ReceivedEvent>;
  close(): void;
}

/** Opens a stream on a connection of its own. Every event must fit its schema. */
export async function openEventStream(url: string, headers: Record<string, string>): Promise<EventStream> {
  const request = http.get(url, { headers, agent: false });
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  const events: ReceivedEvent[] = [];
  let text = "";
  let hasEnded = false;
  response.setEncoding("utf8");
  response.on("data", (part: string) => {
    text += part;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      events.push(eventOf(text.slice(0, end)));
      text = text.slice(end + 2);
    }
  });
  response.on("error", () => undefined);
  response.on("close", () => {
    hasEnded = true;
  });
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    events,
    hasEnded: () => hasEnded,
    next: (name, matches = () => true) =>
      vi.waitFor(
        () => {
          const found = events.find((event) => event.name === name && matches(event.data));
          if (!found)
            throw new Error(`no such ${name} among ${events.map((event) => event.name).join(", ")}`);
          return found;
        },
        { timeout: 25_000, interval: 10 },
      ),
    close: () => request.destroy(),
  };
}

function eventOf(lines: string): ReceivedEvent {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(lines)?.[1];
  const name = field("event") as LiveEventName;
  const data = liveEventSchemas[name].parse(JSON.parse(field("data") ?? ""));
  expect(data).toEqual(JSON.parse(field("data") ?? ""));
  return { id: field("id"), name, data };
}
