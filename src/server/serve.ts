/** `gateway serve`: everything a serving process starts, and how it ends without losing a call. */

import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { type Booted, type BootOptions, boot, logFile } from '../boot.ts';
import type { Config } from '../config.ts';
import { diskFailure } from '../disk-failure.ts';
import { type RunningJobs, startJobs } from '../jobs/start.ts';
import { createLogger } from '../log.ts';
import { openTelemetry, type Telemetry } from '../observe/telemetry.ts';
import { createRelay, type RelayHandle } from '../relay/pipeline/create-relay.ts';
import type { Relay } from '../relay/pipeline/relay-context.ts';
import { joinNodes, type NodeWatch } from '../services/cluster/nodes.ts';
import { prepareLog } from '../services/logs/log-clear.ts';
import { createServer } from './app.ts';
import {
  type Connections,
  stopListening,
  watchConnections,
} from './connections/open-connections.ts';
import { openWaitingRoom } from './connections/startup-server.ts';
import { listenForMetrics, type MetricsListener } from './routes/metrics.ts';
import type { ServeHooks } from './serve-hooks.ts';
import type { Serving } from './serving.ts';
import { startFacts } from './start-facts.ts';
import { readOfAll } from './workers/worker-metrics.ts';

export interface ServerPlace extends Pick<BootOptions, 'log' | 'kv' | 'now'> {
  /** Ends the wait for a database that does not answer. */
  readonly signal?: AbortSignal;
  /** Of the process that started this one as a worker. */
  readonly primaryPid?: number;
}

/** Starts a server on `config.host` and `config.port` (0 = any free port). */
export async function startServer(
  config: Config,
  { primaryPid, ...place }: ServerPlace = {},
): Promise<Serving> {
  const telemetry = await openTelemetry(config);
  const booted = await bootServer(config, telemetry, place);
  booted.databases.watch(booted.ctx.log);
  booted.ctx.logDatabase.watch(booted.ctx.log);
  let nodes: NodeWatch | undefined;
  let handle: RelayHandle | undefined;
  let scraped: MetricsListener | undefined;
  try {
    await prepareLog(booted.ctx);
    nodes = await joinNodes(booted.ctx, primaryPid);
    await booted.ctx.changes.start();
    handle = await createRelay(booted.ctx);
    const webRoot = config.web ? webRootOf(config) : undefined;
    await telemetry.watch(handle.relay);
    const { metricsPort } = config;
    const allSeries = telemetry.read && readOfAll(telemetry.read);
    // Of several workers the primary has the port.
    if (metricsPort !== undefined && allSeries !== undefined && cluster.isPrimary)
      scraped = await listenForMetrics(config, metricsPort, allSeries);
    const series = metricsPort === undefined ? allSeries : undefined;
    const ending = { isDraining: false, takesCalls: true };
    const app = await createServer({
      ctx: booted.ctx,
      relay: handle.relay,
      webRoot,
      ending,
      series,
      canWrite: nodes.canWrite,
    });
    const connections = watchConnections(app.server);
    const url = await app.listen({ host: config.host, port: config.port });
    logStart(booted, url, scraped?.url);
    const { relay } = handle;
    nodes.attend({
      calls: () => relay.inFlight.size,
      onDrain: () => drainInPlace({ booted, config, ending, relay }),
    });
    const jobs = startJobs(booted.ctx);
    const running = {
      app,
      connections,
      ending,
      handle,
      jobs,
      nodes,
      booted,
      config,
      telemetry,
      scraped,
    };
    return { url, metricsUrl: scraped?.url, booted, stop: once(stopper(running)) };
  } catch (error) {
    await scraped?.close();
    await telemetry.stop();
    await handle?.close(0);
    await nodes?.stop();
    await booted.close();
    throw diskFailure(config, error);
  }
}

function logStart({ ctx, databases }: Booted, url: string, metrics: string | undefined): void {
  const { isApart, location } = ctx.logDatabase;
  const logDatabase = isApart ? { logDatabase: location } : {};
  ctx.log.info(
    { url, metrics, database: databases.location, ...logDatabase, node: ctx.node },
    'serving',
  );
}

/** Waits for the database where it has to. */
function bootServer(
  config: Config,
  { observer }: Telemetry,
  { signal, log = createLogger(config.logLevel, logFile(config)), ...place }: ServerPlace,
): Promise<Booted> {
  const whileWaiting = () => openWaitingRoom(config, log);
  const patience = { waitMs: config.databaseWaitMs, signal, whileWaiting };
  return boot(config, { migrate: true, observer, ...place, log, patience });
}

interface Running {
  readonly app: FastifyInstance;
  readonly connections: Connections;
  readonly ending: { isDraining: boolean; takesCalls: boolean };
  readonly handle: RelayHandle;
  readonly jobs: RunningJobs;
  readonly nodes: NodeWatch;
  readonly booted: Booted;
  readonly config: Config;
  readonly telemetry: Telemetry;
  readonly scraped: MetricsListener | undefined;
}

/** How long a replaced process keeps idle connections at least: most clients let go of theirs sooner. */
const REPLACED_LINGER_MS = 5_000;

/**
 * Told by `gateway node drain`: load balancers hear of it at once, and after the lead new calls are
 * refused. What runs is finished, the management goes on, and the process stays until it is ended.
 */
async function drainInPlace({
  booted,
  config,
  ending,
  relay,
}: Pick<Running, 'booted' | 'config' | 'ending'> & { readonly relay: Relay }): Promise<void> {
  booted.ctx.log.info('told to drain: no new calls until this process is restarted');
  ending.isDraining = true;
  await pause(config.drainLeadMs);
  ending.takesCalls = false;
  void relay.sessions.drain();
}

/** The order matters: no new calls, then the running ones, then their bills, then the database. */
function stopper(running: Running): Serving['stop'] {
  const { app, connections, handle, jobs, nodes, booted, config, telemetry, scraped } = running;
  return async ({ isReplaced = false } = {}) => {
    const { log } = booted.ctx;
    log.info('draining');
    running.ending.isDraining = true;
    const jobsStopped = jobs.stop();
    if (!isReplaced) await pause(config.drainLeadMs);
    const endsAtMs = Date.now() + config.drainTimeoutMs;
    const lingerMs = isReplaced
      ? Math.max(config.drainLeadMs, REPLACED_LINGER_MS)
      : config.drainLeadMs;
    if (lingerMs > 0) await empty(running, lingerMs, endsAtMs);
    const closed = app.close();
    const { sessions } = handle.relay;
    await Promise.race([
      closed,
      Promise.all([connections.answered(), sessions.drain()]),
      pause(Math.max(0, endsAtMs - Date.now()), undefined, { ref: false }),
    ]);
    app.server.closeAllConnections();
    sessions.breakOff();
    await closed;
    await handle.close(config.clientGraceMs + 5_000);
    await jobsStopped;
    await nodes.stop();
    await Promise.all([telemetry.stop(), scraped?.close()]);
    await booted.close();
    log.info('stopped');
  };
}

/** Nobody can connect any more; who is connected is still served, and told that this answer is the last. */
async function empty(
  { app, connections, handle }: Running,
  lingerMs: number,
  endsAtMs: number,
): Promise<void> {
  await stopListening(app.server);
  void handle.relay.sessions.drain();
  await connections.emptied(lingerMs, endsAtMs);
}

function once<How, T>(work: (how?: How) => Promise<T>): (how?: How) => Promise<T> {
  let running: Promise<T> | undefined;
  return (how) => {
    running ??= work(how);
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

/** Serves until the signal fires, or the terminal goes away, then drains. */
export async function serve(config: Config, hooks: ServeHooks): Promise<void> {
  // Heard from the very start: a signal may come as soon as the port is open.
  const told = toldToEnd(hooks.signal);
  const serving = await startServer(config, { signal: hooks.signal }).catch(
    unlessEnded(hooks.signal),
  );
  if (serving === undefined) return;
  try {
    hooks.listening({ ...(await startFacts(serving)), workers: 1 });
    await told;
    hooks.draining();
  } finally {
    await serving.stop();
  }
}

/** Who was told to end while the database was waited for has nothing more to say. */
export function unlessEnded(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error;
    return undefined;
  };
}

/** Without workers there is nobody to replace on SIGHUP; left alone it would cut every call off. */
function toldToEnd(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      process.off('SIGHUP', end);
      resolve();
    };
    process.on('SIGHUP', end);
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
  });
}
