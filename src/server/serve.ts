/** `gateway serve`: starts all parts of a serving process and stops it without losing a call. */

import cluster from 'node:cluster';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { type BootOptions, boot, logFile, type OpenedSite } from '../boot.ts';
import type { Config } from '../config.ts';
import { asEnvironmentError } from '../environment-error.ts';
import { type RunningJobs, startJobs } from '../jobs/start.ts';
import { createLogger } from '../log.ts';
import { openTelemetry, type Telemetry } from '../observe/telemetry.ts';
import type { Relay } from '../relay/call/relay-ports.ts';
import { createRelay, type RelayHandle } from '../relay/create-relay.ts';
import { joinNodes, type NodeWatch } from '../services/cluster/nodes.ts';
import { prepareLog } from '../services/logs/log-clear.ts';
import { createServer } from './app.ts';
import { asListenError } from './connections/listen-error.ts';
import {
  type OpenConnections,
  stopListening,
  watchConnections,
} from './connections/open-connections.ts';
import { openStartupServer } from './connections/startup-server.ts';
import { listenForMetrics, type MetricsListener } from './routes/metrics.ts';
import type { ServeHooks } from './serve-hooks.ts';
import type { Serving } from './serving.ts';
import { startReport } from './start-report.ts';
import { seriesOfAllProcesses } from './workers/worker-metrics.ts';

export interface ServerEnvironment
  extends Pick<BootOptions, 'log' | 'kv' | 'now' | 'sharedCommits'> {
  /** Aborts the wait for an unreachable database. */
  readonly signal?: AbortSignal;
  /** Process id of the primary, if this process is a worker. */
  readonly primaryPid?: number;
}

/** Starts a server on `config.host` and `config.port` (0 = any free port). */
export async function startServer(
  config: Config,
  { primaryPid, ...environment }: ServerEnvironment = {},
): Promise<Serving> {
  const telemetry = await openTelemetry(config);
  const booted = await bootServer(config, telemetry, environment);
  booted.databases.watch(booted.ctx.log);
  booted.ctx.logDatabase.watch(booted.ctx.log);
  let nodes: NodeWatch | undefined;
  let handle: RelayHandle | undefined;
  let metricsListener: MetricsListener | undefined;
  try {
    await prepareLog(booted.ctx);
    nodes = await joinNodes(booted.ctx, primaryPid);
    await booted.ctx.changes.start();
    handle = await createRelay(booted.ctx);
    const webRoot = config.web ? webRootOf(config) : undefined;
    await telemetry.watch(handle.relay);
    const { metricsPort } = config;
    const allSeries = telemetry.read && seriesOfAllProcesses(telemetry.read);
    // With several workers, the primary owns the port.
    if (metricsPort !== undefined && allSeries !== undefined && cluster.isPrimary)
      metricsListener = await listenForMetrics(config, metricsPort, allSeries);
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
    const url = await listenOn(app, config);
    logStart(booted, url, metricsListener?.url);
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
      metricsListener,
    };
    return { url, metricsUrl: metricsListener?.url, booted, stop: runOnce(stopServer(running)) };
  } catch (error) {
    await metricsListener?.close();
    await telemetry.stop();
    await handle?.close(0);
    await nodes?.stop();
    await booted.close();
    throw asEnvironmentError(config, error);
  }
}

/** @throws AppError `port_in_use`, `port_denied`, `host_not_local`. */
async function listenOn(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port });
  } catch (error) {
    throw asListenError(error, {
      host,
      port,
      names: '--host, --port, GATEWAY_HOST, GATEWAY_PORT',
    });
  }
}

function logStart({ ctx, databases }: OpenedSite, url: string, metrics: string | undefined): void {
  const { isSeparate, location } = ctx.logDatabase;
  const logDatabase = isSeparate ? { logDatabase: location } : {};
  ctx.log.info(
    { url, metrics, database: databases.location, ...logDatabase, node: ctx.node },
    'serving',
  );
}

/** Boots, waiting for the database if necessary. */
function bootServer(
  config: Config,
  { observer }: Telemetry,
  {
    signal,
    log = createLogger(config.logLevel, logFile(config)),
    ...environment
  }: ServerEnvironment,
): Promise<OpenedSite> {
  const whileWaiting = () => openStartupServer(config, log);
  const databaseWait = { waitMs: config.databaseWaitMs, signal, whileWaiting };
  return boot(config, { migrate: true, observer, ...environment, log, databaseWait });
}

interface RunningServer {
  readonly app: FastifyInstance;
  readonly connections: OpenConnections;
  readonly ending: { isDraining: boolean; takesCalls: boolean };
  readonly handle: RelayHandle;
  readonly jobs: RunningJobs;
  readonly nodes: NodeWatch;
  readonly booted: OpenedSite;
  readonly config: Config;
  readonly telemetry: Telemetry;
  readonly metricsListener: MetricsListener | undefined;
}

/** The minimum time a replaced process keeps idle connections: most clients close theirs sooner. */
const REPLACED_IDLE_MS = 5_000;

/**
 * Triggered by `gateway node drain`: readiness fails at once, and after the lead time new calls are
 * refused. Running calls finish, the management API keeps working, and the process stays until
 * stopped.
 */
async function drainInPlace({
  booted,
  config,
  ending,
  relay,
}: Pick<RunningServer, 'booted' | 'config' | 'ending'> & { readonly relay: Relay }): Promise<void> {
  booted.ctx.log.info('drain requested: no new calls until this process is restarted');
  ending.isDraining = true;
  await pause(config.drainLeadMs);
  ending.takesCalls = false;
  void relay.sessions.drain();
}

/** The order matters: stop new calls, finish running ones, settle them, close the database. */
function stopServer(running: RunningServer): Serving['stop'] {
  const { app, connections, handle, jobs, nodes, booted, config, telemetry, metricsListener } =
    running;
  return async ({ isReplaced = false } = {}) => {
    const { log } = booted.ctx;
    log.info('draining');
    running.ending.isDraining = true;
    const jobsStopped = jobs.stop();
    if (!isReplaced) await pause(config.drainLeadMs);
    const endsAtMs = Date.now() + config.drainTimeoutMs;
    const lingerMs = isReplaced
      ? Math.max(config.drainLeadMs, REPLACED_IDLE_MS)
      : config.drainLeadMs;
    if (lingerMs > 0) await closeIdleConnections(running, lingerMs, endsAtMs);
    const closed = app.close();
    const { sessions } = handle.relay;
    await Promise.race([
      closed,
      Promise.all([connections.responsesEnded(), sessions.drain()]),
      pause(Math.max(0, endsAtMs - Date.now()), undefined, { ref: false }),
    ]);
    app.server.closeAllConnections();
    sessions.breakOff();
    await closed;
    await handle.close(config.clientGraceMs + 5_000);
    await jobsStopped;
    await nodes.stop();
    await Promise.all([telemetry.stop(), metricsListener?.close()]);
    await booted.close();
    log.info('stopped');
  };
}

/** Stops accepting connections; open ones are served, and responses announce the end of the connection. */
async function closeIdleConnections(
  { app, connections, handle }: RunningServer,
  lingerMs: number,
  endsAtMs: number,
): Promise<void> {
  await stopListening(app.server);
  void handle.relay.sessions.drain();
  await connections.connectionsClosed(lingerMs, endsAtMs);
}

function runOnce<How, T>(work: (how?: How) => Promise<T>): (how?: How) => Promise<T> {
  let running: Promise<T> | undefined;
  return (how) => {
    running ??= work(how);
    return running;
  };
}

/** The console's files are beside the bundle; without them only the API is served. */
function webRootOf(config: Config): string | undefined {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const candidates =
    config.webRoot === ''
      ? [path.join(here, 'web'), path.join(here, '../../dist/web')]
      : [config.webRoot];
  return candidates.find((folder) => existsSync(path.join(folder, 'index.html')));
}

/** Serves until the signal fires or the terminal closes, then drains. */
export async function serveUntilStopped(config: Config, hooks: ServeHooks): Promise<void> {
  // Listens from the start: a signal may arrive as soon as the port is open.
  const stop = listenForStop(hooks.signal);
  let serving: Serving | undefined;
  try {
    serving = await startServer(config, { signal: hooks.signal }).catch(
      ignoreAfterAbort(hooks.signal),
    );
    if (serving === undefined) return;
    hooks.listening({ ...(await startReport(serving)), workers: 1 });
    await stop.requested;
    hooks.draining();
  } finally {
    stop.forget();
    await serving?.stop();
  }
}

/** Ignores errors after an abort: a process stopped while it waits for the database is silent. */
export function ignoreAfterAbort(signal: AbortSignal): (error: unknown) => undefined {
  return (error) => {
    if (!signal.aborted) throw error;
    return undefined;
  };
}

interface StopListener {
  /** Resolves on abort or SIGHUP. */
  readonly requested: Promise<void>;
  forget(): void;
}

/**
 * Without workers SIGHUP has nothing to replace, and its default action would cut off all calls.
 */
function listenForStop(signal: AbortSignal): StopListener {
  let end = (): void => undefined;
  const requested = new Promise<void>((resolve) => {
    end = resolve;
  });
  process.on('SIGHUP', end);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  return { requested, forget: () => process.off('SIGHUP', end) };
}
