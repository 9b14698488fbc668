/** Ids of channels, checks, third-party patterns and rotas by their name in the config, growing while a deploy creates them. */
import { KIND_WORDS, type Plan, type Remote } from "@svc/as-code/plan";

type NamedKind = "channel" | "check" | "third_party_pattern" | "rota";

/** Finds the id of a channel, a check, a third-party pattern or a rota by its name. */
export class ResourceIds {
  readonly #ids: Record<NamedKind, Map<string, string>>;
  readonly #remote: Remote;

  /** Begins with the resources that stay. A check that is renamed has its new name here. */
  constructor(remote: Remote, { changes }: Plan) {
    this.#remote = remote;
    const deleted = new Set(changes.filter(({ type }) => type === "delete").map(({ remoteId }) => remoteId));
    const staying = (list: readonly { id: string; name: string }[]) =>
      new Map(list.filter(({ id }) => !deleted.has(id)).map(({ id, name }) => [name, id]));
    this.#ids = {
      channel: staying(remote.channels),
      check: staying(remote.checks),
      third_party_pattern: staying(remote.patterns),
      rota: staying(remote.rotas),
    };
    for (const { kind, name, remoteId, type } of changes)
      if (remoteId !== null && type !== "delete" && (kind === "channel" || kind === "check"))
        this.add(kind, name, remoteId);
  }

  add(kind: NamedKind, name: string, id: string): void {
    this.#ids[kind].set(name, id);
  }

  /** @throws Error when the phases are in the wrong order: the resource has not been created yet */
  get(kind: NamedKind, name: string): string {
    const id = this.#ids[kind].get(name);
    if (id === undefined) throw new Error(`the ${KIND_WORDS[kind]} "${name}" has not been made`);
    return id;
  }

  channels(names: readonly string[]): string[] {
    return names.map((name) => this.get("channel", name));
  }

  /** Returns the channels of a resource beyond the config, with the new ids of those that were replaced. */
  renewedChannels(former: readonly string[]): string[] {
    return former.map((id) => {
      const name = this.#remote.channels.find((channel) => channel.id === id)?.name;
      return (name !== undefined && this.#ids.channel.get(name)) || id;
    });
  }
}
