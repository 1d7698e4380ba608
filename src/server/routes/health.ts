/**
 * Liveness and readiness checks for load balancers; readiness includes a real database write. The
 * result is cached for a second because the checks are frequent. Details require the metrics token:
 * a loopback address is not trusted, since it may belong to a reverse proxy.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { isRetryable, type SettlementFault } from '../../store/sql/sql-dialect.ts';
import { isBearer } from '../request/bearer.ts';

const CACHE_MS = 1_000;
const DATABASE_TIMEOUT_MS = 2_000;
/** Twenty polls; after that, this process works with outdated options and channels. */
const MAX_FEED_AGE_MS = 10_000;

interface Health {
  /** `ok`, or the reason why this node should get no calls. */
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
}

interface HealthOptions {
  readonly ctx: Context;
  readonly ending: { readonly isDraining: boolean };
  /** Writes to the database and returns why that failed, if it did. */
  readonly canWrite: () => Promise<SettlementFault | undefined>;
}

export async function healthRoutes(
  app: FastifyInstance,
  { ctx, ending, canWrite }: HealthOptions,
): Promise<void> {
  const health = cachedFor(CACHE_MS, () => healthOf(ctx, canWrite));
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async (request, reply) => {
    if (ending.isDraining)
      return reply.code(503).header('cache-control', 'no-store').send({ status: 'draining' });
    const { status, checks } = await health();
    reply.code(status === 'ok' ? 200 : 503).header('cache-control', 'no-store');
    const isAuthorized = isBearer(request.headers.authorization, ctx.config.metricsToken);
    return isVerbose(request) && isAuthorized ? { status, checks } : { status };
  });
}

function isVerbose({ query }: FastifyRequest): boolean {
  return Object.hasOwn(Object(query), 'verbose');
}

/**
 * Slow settlement, Redis and a separate log database are reported but do not make a node unready:
 * calls continue, with limits counted per process and log entries queued (docs/operations.md).
 */
async function healthOf(ctx: Context, canWrite: HealthOptions['canWrite']): Promise<Health> {
  const [database, log] = await Promise.all([
    databaseHealth(ctx, canWrite),
    ctx.logDatabase.isSeparate
      ? databaseHealth({ log: ctx.log, engine: ctx.logDatabase.engine }, () =>
          ctx.logDatabase.reads.raw('select 1').then(() => undefined),
        )
      : 'in the database',
  ]);
  const ageMs = ctx.changes.ageMs() ?? 0;
  const isStale = ageMs > MAX_FEED_AGE_MS;
  const slow = ctx.ledger.slowReason();
  const redis = ctx.kv.isUp() ? 'ok' : 'unreachable';
  const checks = {
    database,
    log,
    changes: isStale ? `not read for ${Math.round(ageMs / 1000)} s` : 'ok',
    settlement: slow === undefined ? 'ok' : `slow: ${slow}`,
    redis: ctx.kv.kind === 'redis' ? redis : 'not used',
    version: ctx.version,
  };
  if (database === 'unreachable' || database === 'slow')
    return { status: 'database unreachable', checks };
  if (database === 'locked') return { status: 'database locked', checks };
  if (database !== 'ok') return { status: `database not writable: ${database}`, checks };
  return { status: isStale ? 'changes are not read' : 'ok', checks };
}

/** `locked`: another connection, or another process, holds the write lock of the SQLite file. */
type DatabaseHealth = 'ok' | 'unreachable' | 'slow' | 'locked' | SettlementFault;

async function databaseHealth(
  { log, engine }: Pick<Context, 'log' | 'engine'>,
  ask: HealthOptions['canWrite'],
): Promise<DatabaseHealth> {
  let timer: NodeJS.Timeout | undefined;
  // A write to a file waits for nothing but the lock.
  const waiting = engine === 'sqlite' ? 'locked' : 'slow';
  const slow = new Promise<DatabaseHealth>((resolve) => {
    timer = setTimeout(() => resolve(waiting), DATABASE_TIMEOUT_MS);
  });
  const probed = ask().then(
    (fault): DatabaseHealth => fault ?? 'ok',
    (error: Error): DatabaseHealth => {
      if (isRetryable(error)) return waiting;
      log.warn({ err: error }, 'a database does not answer');
      return 'unreachable';
    },
  );
  try {
    return await Promise.race([probed, slow]);
  } finally {
    clearTimeout(timer);
  }
}

/** Shares one result among callers within `ms` of its start, or while it is in progress. */
function cachedFor<T>(ms: number, find: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  let at = Number.NEGATIVE_INFINITY;
  let isRunning = false;
  return () => {
    if (kept !== undefined && (isRunning || performance.now() - at < ms)) return kept;
    at = performance.now();
    isRunning = true;
    kept = find().finally(() => {
      isRunning = false;
    });
    return kept;
  };
}
