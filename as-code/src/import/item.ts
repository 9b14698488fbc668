/** One value of another tool's export, which may be anything, with where it stands. Pure. */
import { isObject } from "@svc/contract";
import { Reads } from "./reads.ts";

/** Where a value stands: a file, and a path in it such as `tests[3].config.request`; an empty path is the whole file. */
export interface Origin {
  file: string;
  path: string;
}

/**
 * A value of an export. A member that is missing is an item without a value, so that paths can be followed without checks. Which
 * members are looked at is kept, and all others are noted at the end.
 */
export class Item {
  readonly value: unknown;
  readonly origin: Origin;
  readonly reads: Reads;

  constructor(value: unknown, origin: Origin, reads: Reads = new Reads()) {
    this.value = value;
    this.origin = origin;
    this.reads = reads;
  }

  /** Returns the member of this name; of several names, the first member that is there. The member counts as looked at. */
  get(...names: string[]): Item {
    const name = names.find((one) => this.#member(one) !== undefined) ?? names[0] ?? "";
    this.reads.look(this.value, name);
    return this.peek(name);
  }

  /** Returns the member of this name, which does not count as looked at: to find out which tool or kind a record is of. */
  peek(name: string): Item {
    const { file, path } = this.origin;
    const step = /^[\w-]+$/.test(name) ? `${path === "" ? "" : "."}${name}` : `[${JSON.stringify(name)}]`;
    return new Item(this.#member(name), { file, path: path + step }, this.reads);
  }

  /**
   * Counts members as looked at, with all that is in them, that say nothing about a check: ids, dates, settings of a page, fields of
   * other types. Members that were looked at before stay as they are.
   */
  skip(...names: string[]): void {
    for (const name of names) {
      if (isObject(this.value) && this.reads.hasLookedAt(this.value, name)) continue;
      this.reads.look(this.value, name);
      this.reads.settle(this.#member(name));
    }
  }

  /** Counts everything in the value as looked at. */
  settle(): void {
    this.reads.settle(this.value);
  }

  /** True when the object has a member of this name, null included. */
  has(name: string): boolean {
    return this.#member(name) !== undefined;
  }

  /** Lists the items of a list; anything else has none. */
  items(): Item[] {
    const { file, path } = this.origin;
    return Array.isArray(this.value)
      ? this.value.map((value, at) => new Item(value, { file, path: `${path}[${at}]` }, this.reads))
      : [];
  }

  /** Lists the members of an object by name; anything else has none. */
  entries(): [name: string, item: Item][] {
    return isObject(this.value) ? Object.keys(this.value).map((name) => [name, this.get(name)]) : [];
  }

  /** Lists the names of an object's members, which do not count as looked at. */
  names(): string[] {
    return isObject(this.value) ? Object.keys(this.value) : [];
  }

  /** True unless the value is missing or null. */
  isGiven(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** Returns a text; a number or a boolean as its text. */
  text(): string | undefined {
    const { value } = this;
    if (typeof value === "string") return value;
    return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
  }

  /** Returns a text that is not blank. */
  filled(): string | undefined {
    const text = this.text();
    return text === undefined || text.trim() === "" ? undefined : text;
  }

  /** Returns a finite number, also of a text that is one. */
  number(): number | undefined {
    const text = this.filled();
    const number = text === undefined || text === "true" || text === "false" ? Number.NaN : Number(text);
    return Number.isFinite(number) ? number : undefined;
  }

  /** Returns a boolean; 1 and 0 count, as databases keep them. */
  flag(): boolean | undefined {
    if (typeof this.value === "boolean") return this.value;
    if (this.value === 1 || this.value === "true") return true;
    return this.value === 0 || this.value === "false" ? false : undefined;
  }

  /** Returns another value in the same position; an object or a list is looked at in the place of this one. */
  as(value: unknown): Item {
    this.reads.derive(this.origin.path, value);
    return new Item(value, this.origin, this.reads);
  }

  #member(name: string): unknown {
    return isObject(this.value) && Object.hasOwn(this.value, name) ? this.value[name] : undefined;
  }
}

/** Returns the names and texts of an object's members; members that are no texts are left out. */
export function textsIn(item: Item): Record<string, string> {
  return Object.fromEntries(
    item.entries().flatMap(([name, member]) => {
      const text = member.text();
      return text === undefined ? [] : [[name, text]];
    }),
  );
}
