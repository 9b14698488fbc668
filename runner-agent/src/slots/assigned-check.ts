/** A check as the slots hold it: its definition, and its configuration parsed once when it first runs. */
import { checkTypes, type Retry, retrySchema } from "@svc/contract";
import type { ProbeRequest } from "@svc/probes";
import type { CheckDefinition } from "../model/assignment.ts";
import type { Due } from "./due-heap.ts";

export class AssignedCheck {
  readonly checkKey: number;
  readonly checkId: string;
  readonly type: string;
  readonly revision: number;
  readonly periodMs: number;
  readonly phaseMs: number;
  #configJson: string;
  #retryJson: string;
  #config: unknown;
  #retry: Retry | null = null;
  /** A run of it has crashed, and the operator was told. */
  hasCrashed = false;
  #isParsed = false;
  #parseError: unknown;

  constructor(definition: CheckDefinition) {
    this.checkKey = definition.checkKey;
    this.checkId = definition.checkId;
    this.type = definition.type;
    this.revision = definition.revision;
    this.periodMs = definition.frequencySeconds * 1000;
    this.phaseMs = definition.phaseMs;
    this.#configJson = definition.configJson;
    this.#retryJson = definition.retryJson;
  }

  /** What the probe is asked for this slot. @throws when the configuration is not one that this version understands */
  requestFor(slotMs: number): ProbeRequest {
    if (this.#parseError !== undefined) throw this.#parseError;
    if (!this.#isParsed) this.#parse();
    return {
      checkId: this.checkId,
      type: this.type,
      config: this.#config,
      retry: this.#retry,
      slotMs,
      frequencySeconds: this.periodMs / 1000,
    };
  }

  /** Whether an earlier `requestFor` threw: it does so for good, and telling once is enough. */
  get isUnusable(): boolean {
    return this.#parseError !== undefined;
  }

  #parse(): void {
    try {
      this.#parseDocuments();
    } catch (cause) {
      this.#parseError = cause;
      throw cause;
    }
  }

  #parseDocuments(): void {
    const type = checkTypes.find(this.type);
    if (type === undefined) throw new Error(`unknown check type ${this.type}`);
    this.#config = type.configSchema.parse(JSON.parse(this.#configJson));
    this.#retry = this.#retryJson === "" ? null : retrySchema.nullable().parse(JSON.parse(this.#retryJson));
    this.#isParsed = true;
    // The text is not needed again: with 10,000 checks it would be the larger half of the memory.
    this.#configJson = "";
    this.#retryJson = "";
  }
}

/** A check at a location, and where it is on its grid. */
export class SlotCursor implements Due {
  check: AssignedCheck;
  readonly locationKey: number;
  staggerMs: number;
  /** The next slot to run. */
  slotMs: number;
  /** When it is due: slot + stagger. */
  dueMs: number;
  heapIndex = -1;

  constructor(check: AssignedCheck, locationKey: number, staggerMs: number, slotMs: number) {
    this.check = check;
    this.locationKey = locationKey;
    this.staggerMs = staggerMs;
    this.slotMs = slotMs;
    this.dueMs = slotMs + staggerMs;
  }

  moveTo(slotMs: number): void {
    this.slotMs = slotMs;
    this.dueMs = slotMs + this.staggerMs;
  }
}
