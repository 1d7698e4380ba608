/** `gateway serve`: everything a serving process starts, and how it ends without losing a call. */
import { existsSync } from 'node:fs';
import type { Server, ServerResponse } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { type Booted, boot } from '../boot.ts';
import type { Config } from '../config.ts';
import { createRelay, type RelayHandle } from '../relay/create.ts';
import { joinNodes, type NodeWatch } from '../services/nodes.ts';
import { createServer } from './app.ts';

export interface Serving {
  /** Where it listens, e.g. `http://127.0.0.1:3000`. */
  readonly url: string;
  readonly booted: Booted;
  /** Stops accepting, lets streams end (bounded), writes what waits, closes. Safe to call twice. */
  stop(): Promise<void>;
}

/** Starts a server on `config.host` and `config.port` (0 = any free port). */
export async function startServer(config: Config): Promise<Serving> {
  const booted = await boot(config, { migrate: true });
  let nodes: NodeWatch | undefined;
  let handle: RelayHandle | undefined;
  try {
    nodes = await joinNodes(booted.ctx);
    await booted.ctx.changes.start();
    handle = await createRelay(booted.ctx);
    const webRoot = config.web ? webRootOf(config) : undefined;
    const app = await createServer({ ctx: booted.ctx, relay: handle.relay, webRoot });
    const answered = watchAnswers(app.server);
    const url = await app.listen({ host: config.host, port: config.port });
    booted.ctx.log.info(
      { url, database: booted.databases.location, node: booted.ctx.node },
      'serving',
    );
    return { url, booted, stop: once(stopper({ app, answered, handle, nodes, booted, config })) };
  } catch (error) {
    await handle?.close(0);
    await nodes?.stop();
    await booted.close();
    throw error;
  }
}

interface Running {
  readonly app: FastifyInstance;
  /** Resolves when no answer is under way. */
  readonly answered: () => Promise<void>;
  readonly handle: RelayHandle;
  readonly nodes: NodeWatch;
  readonly booted: Booted;
  readonly config: Config;
}

/** The order matters: no new calls, then the running ones, then their bills, then the database. */
function stopper({ app, answered, handle, nodes, booted, config }: Running): () => Promise<void> {
  return async () => {
    const { log } = booted.ctx;
    log.info('draining');
    const closed = app.close();
    await Promise.race([
      closed,
      answered(),
      new Promise((resolve) => setTimeout(resolve, config.drainTimeoutMs).unref()),
    ]);
    app.server.closeAllConnections();
    await closed;
    await handle.close(config.clientGraceMs + 5_000);
    await nodes.stop();
    await booted.close();
    log.info('stopped');
  };
}

/** What a shutdown waits for: answers, not connections on which nobody has asked anything yet. */
function watchAnswers(server: Server): () => Promise<void> {
  const open = new Set<ServerResponse>();
  let onLast = (): void => undefined;
  server.on('request', (_request, response) => {
    open.add(response);
    response.once('close', () => {
      open.delete(response);
      if (open.size === 0) onLast();
    });
  });
  return () =>
    new Promise((resolve) => {
      onLast = resolve;
      if (open.size === 0) resolve();
    });
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}

/** The console's files lie beside the bundle; without them the API is served alone. */
function webRootOf(config: Config): string | undefined {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const candidates =
    config.webRoot === ''
      ? [path.join(here, 'web'), path.join(here, '../../dist/web')]
      : [config.webRoot];
  return candidates.find((folder) => existsSync(path.join(folder, 'index.html')));
}

export interface ServeHooks {
  /** Lines for the person at the terminal. */
  say(text: string): void;
  /** Fires when the process is asked to end. */
  readonly signal: AbortSignal;
}

/** Serves until the signal fires, then drains. */
export async function serve(config: Config, hooks: ServeHooks): Promise<void> {
  const serving = await startServer(config);
  hooks.say(`listening on ${serving.url}`);
  await new Promise<void>((resolve) => {
    if (hooks.signal.aborted) resolve();
    hooks.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  hooks.say('draining: no new calls, running ones may finish');
  await serving.stop();
}
