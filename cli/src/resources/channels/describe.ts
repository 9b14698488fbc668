/** Describes channels and deliveries for people. */
import type { Channel, Delivery } from "@svc/contract";
import { channelTypes } from "@svc/contract";
import type { Colors, Paint } from "../../output/colors.ts";
import type { Output } from "../../output/output.ts";
import type { Column } from "../../output/table.ts";
import { ago, millisecondsText } from "../../output/times.ts";
import type { CommandOutcome } from "../../runtime/command.ts";

/** Returns where the channel leads: an address, a host, a region. Its configuration is masked already. */
export function destinationOf({ type, config }: Pick<Channel, "type" | "config">): string {
  const field = channelTypes.find(type)?.destinationField;
  const destination = field === undefined ? undefined : config[field];
  return Array.isArray(destination) ? destination.join(", ") : String(destination ?? "");
}

function paintOf(colors: Colors, { status }: Delivery): Paint {
  if (status === "delivered") return colors.green;
  return status === "failed" ? colors.red : colors.dim;
}

/** Returns the outcome of an attempt; of a failed one also whether the notification was delivered later. */
function statusText({ status, notificationStatus }: Delivery): string {
  return status === "failed" && notificationStatus === "delivered" ? "failed, delivered later" : status;
}

/** Returns the columns of a list of deliveries. */
export function deliveryColumns(colors: Colors, nowMs: number): Column<Delivery>[] {
  return [
    { title: "TIME", value: ({ createdAt }) => ago(createdAt, nowMs) },
    { title: "STATUS", value: statusText, paint: (delivery) => paintOf(colors, delivery) },
    { title: "EVENT", value: ({ eventType, isTest }) => (isTest ? `${eventType} (test)` : eventType) },
    { title: "TRY", value: ({ attempt }) => String(attempt), align: "right" },
    { title: "CODE", value: ({ httpStatus }) => httpStatus?.toString() ?? "-", align: "right" },
    { title: "ERROR", value: ({ error }) => error ?? "" },
    { title: "NEXT TRY", value: ({ nextAttemptAt }) => ago(nextAttemptAt, nowMs) },
    { title: "ID", value: ({ id }) => id },
  ];
}

/** Returns the outcome of an attempt that somebody asked for; exit code 1 when it was not delivered. */
export function deliveryOutcome(name: string, delivery: Delivery): CommandOutcome {
  const isDelivered = delivery.status === "delivered";
  const print = (out: Output) => {
    const code = delivery.httpStatus === null ? "" : ` (HTTP ${delivery.httpStatus})`;
    const duration = millisecondsText(delivery.durationMs);
    if (isDelivered) out.line(`Delivered to ${out.text(name)} in ${duration}${code}.`);
    else
      out.line(
        `${out.colors.red("Not delivered")} to ${out.text(name)}${code}: ${out.text(delivery.error ?? delivery.status)}`,
      );
  };
  return {
    data: { delivered: isDelivered, delivery },
    print,
    ...(isDelivered ? {} : { exit: "general_error" as const }),
  };
}
