/**
 * The servers of a database: opens connections to the one that takes writes, and follows it when that changes.
 *
 * With several servers each new connection goes to the one that was good last, and asks what that is now. When it can't be
 * reached or refuses writes, all servers are asked at once, each within a bounded time, and the connection goes to the one
 * that takes writes. As soon as one connection has found another server, those to the former one are cut: nothing is
 * written to a primary of the past by this process. A database with one server is connected to without a question.
 */
import type pg from "pg";
import type { Logger } from "pino";
import { chooseServer, type KnownDatabase, refusalOf } from "./choose-server.ts";
import { type DatabaseServer, parseDatabaseUrl, type TargetSessionAttrs } from "./database-url.ts";
import { cutConnection, isUsable } from "./guard-connection.ts";
import { openConnection } from "./open-connection.ts";
import { askServerState, type ServerState } from "./server-state.ts";

/** Longest that one of several servers may take to be connected to, and to answer a question. */
const SERVER_PATIENCE_MS = 3_000;
/** Longest that the only server may take. */
const ONLY_SERVER_PATIENCE_MS = 5_000;
/** SQLSTATE of the error when no server takes writes: the client can't establish a connection. */
const UNABLE_TO_CONNECT = "08001";

/** A server with its connection settings. */
interface Server extends Pick<DatabaseServer, "name"> {
  connection: pg.ClientConfig;
}

/** No server takes writes; the message says of each why. */
export class NoServerError extends Error {
  readonly code = UNABLE_TO_CONNECT;
}

/** Opens connections to the server of a database that takes writes. Shared by the pools of a process. */
export class DatabaseServers {
  readonly #servers: readonly Server[];
  readonly #target: TargetSessionAttrs;
  readonly #log: Logger | undefined;
  readonly #open = new Map<pg.Client, Server>();
  readonly #known: KnownDatabase = {};
  #present: Server | undefined;
  #looking: Promise<Server> | undefined;
  #rivals = "";

  private constructor(servers: readonly Server[], target: TargetSessionAttrs, log: Logger | undefined) {
    this.#servers = servers;
    this.#target = target;
    this.#log = log;
  }

  /**
   * Returns the servers of a URL, or the one server of pg's own settings. Connects to nothing yet.
   * @throws DatabaseUrlError
   */
  static of(connection: string | pg.ClientConfig, log?: Logger): DatabaseServers {
    if (typeof connection !== "string")
      return new DatabaseServers([{ name: "the server", connection }], "any", log);
    const { servers, target } = parseDatabaseUrl(connection, "writes");
    return new DatabaseServers(
      servers.map(({ name, url }) => ({ name, connection: { connectionString: url } })),
      target ?? (servers.length > 1 ? "read-write" : "any"),
      log,
    );
  }

  /** Number of servers. */
  get size(): number {
    return this.#servers.length;
  }

  /** Name of the server that is used now; undefined before the first connection. */
  get presentName(): string | undefined {
    return this.#present?.name;
  }

  /**
   * Opens a connection to the server that takes writes.
   * @throws NoServerError when none of several does; pg's own error when there is only one
   */
  async connect(settings: pg.ClientConfig): Promise<pg.Client> {
    if (this.#target === "any") {
      const [only] = this.#servers as [Server];
      this.#present = only;
      return openConnection(only.connection, settings, ONLY_SERVER_PATIENCE_MS);
    }
    if (this.#present) {
      const client = await this.#connectTo(this.#present, settings).catch(() => undefined);
      if (client) return client;
    }
    return this.#connectTo(await this.look(), settings);
  }

  /**
   * Asks all servers which of them takes writes, and moves to it. Callers at a time share the answer.
   * @throws NoServerError
   */
  look(): Promise<Server> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<Server> {
    const answers = await Promise.all(
      this.#servers.map(async (server) => ({ server, answer: await askOnce(server) })),
    );
    const present = this.#present && this.#servers.indexOf(this.#present);
    const choice = chooseServer(answers, this.#target, { known: this.#known, present });
    if ("refusals" in choice)
      throw new NoServerError(`no server of the database takes writes: ${choice.refusals.join(", ")}`);
    this.#warnOfRivals(answers, choice);
    this.#moveTo(choice.index, answers[choice.index]?.answer as ServerState);
    return this.#servers[choice.index] as Server;
  }

  async #connectTo(server: Server, settings: pg.ClientConfig): Promise<pg.Client> {
    const client = await openConnection(server.connection, settings, SERVER_PATIENCE_MS);
    try {
      const state = await askServerState(client, SERVER_PATIENCE_MS);
      const refusal = refusalOf(state, this.#target, this.#known);
      if (refusal) throw new NoServerError(`${server.name} ${refusal}`);
      if (!isUsable(client)) throw new NoServerError(`${server.name} ended the connection`);
      this.#open.set(client, server);
      client.once("end", () => this.#open.delete(client));
      this.#moveTo(this.#servers.indexOf(server), state);
      return client;
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  /** Takes a server as the present one, and cuts the connections to all others. */
  #moveTo(index: number, { systemId, timeline }: ServerState): void {
    const server = this.#servers[index] as Server;
    this.#known.systemId = systemId;
    this.#known.timeline = Math.max(this.#known.timeline ?? 0, timeline ?? 0);
    if (this.#present === server) return;
    const former = this.#present?.name;
    this.#present = server;
    if (former) this.#log?.warn({ from: former, to: server.name, timeline }, "the database's primary moved");
    for (const [client, of] of this.#open)
      if (of !== server) cutConnection(client, `the database's primary is ${server.name} now`);
  }

  #warnOfRivals(
    answers: readonly { server: Server; answer: ServerState | Error }[],
    { index, rivals }: { index: number; rivals: number[] },
  ): void {
    const names = rivals.map((rival) => answers[rival]?.server.name).join(", ");
    if (names && names !== this.#rivals)
      this.#log?.error(
        { using: answers[index]?.server.name, rivals: names },
        "several servers of the database take writes: end all but one, since what the others store is in no other server",
      );
    this.#rivals = names;
  }
}

/** Returns the state of a server, or why it can't be known. */
async function askOnce(server: Server): Promise<ServerState | Error> {
  let client: pg.Client | undefined;
  try {
    client = await openConnection(server.connection, {}, SERVER_PATIENCE_MS);
    return await askServerState(client, SERVER_PATIENCE_MS);
  } catch (error) {
    return error as Error;
  } finally {
    void client?.end().catch(() => undefined);
  }
}
