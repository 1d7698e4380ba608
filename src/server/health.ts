/**
 * For load balancers: is the process alive, and can it serve calls. Asked often and by many, so the
 * answer is kept for a second. What it is made of is shown to this machine and to who has the
 * metrics token.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { Context } from '../context.ts';
import { isBearer } from './bearer.ts';

const KEPT_MS = 1_000;
const DATABASE_PATIENCE_MS = 2_000;
/** Twenty polls: beyond, this process decides by options and channels of yesterday. */
const FEED_PATIENCE_MS = 10_000;

interface Health {
  /** `ok`, or why no calls should come here. */
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
}

interface HealthOptions {
  readonly ctx: Context;
  readonly ending: { readonly isDraining: boolean };
}

export async function healthRoutes(
  app: FastifyInstance,
  { ctx, ending }: HealthOptions,
): Promise<void> {
  const health = keptFor(KEPT_MS, () => healthOf(ctx));
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async (request, reply) => {
    if (ending.isDraining)
      return reply.code(503).header('cache-control', 'no-store').send({ status: 'draining' });
    const { status, checks } = await health();
    reply.code(status === 'ok' ? 200 : 503).header('cache-control', 'no-store');
    return wantsMore(request) && mayKnow(ctx, request) ? { status, checks } : { status };
  });
}

function wantsMore({ query }: FastifyRequest): boolean {
  return Object.hasOwn(Object(query), 'verbose');
}

function mayKnow({ config }: Context, request: FastifyRequest): boolean {
  return isOnThisMachine(request) || isBearer(request.headers.authorization, config.metricsToken);
}

/**
 * A loopback address, no sign of a proxy, and a loopback name in `Host`, which a page that rebinds its
 * own name does not have. A bare reverse proxy on this machine looks the same, so this may only decide
 * about details of health, never about rights.
 */
function isOnThisMachine(request: FastifyRequest): boolean {
  const isNear = !carriesForwarding(request) && isLoopback(request.socket.remoteAddress ?? '');
  return isNear && (request.hostname === 'localhost' || isLoopback(bare(request.hostname)));
}

/** An IPv6 address stands in brackets in a host (RFC 3986 3.2.2). */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/u, '$1');
}

const FORWARDING = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
  'forwarded',
  'via',
];

function carriesForwarding({ headers }: FastifyRequest): boolean {
  return FORWARDING.some((name) => headers[name] !== undefined);
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/**
 * Slow settlement, Redis and a separate log database are listed and do not make a node unready: calls
 * go on, their limits counted per process and their log entries waiting (docs/operations.md).
 */
async function healthOf(ctx: Context): Promise<Health> {
  const [database, log] = await Promise.all([
    databaseHealth(ctx, ctx.reads),
    ctx.logDatabase.isApart ? databaseHealth(ctx, ctx.logDatabase.reads) : 'in the database',
  ]);
  const ageMs = ctx.changes.ageMs() ?? 0;
  const isStale = ageMs > FEED_PATIENCE_MS;
  const slow = ctx.books.slowReason();
  const redis = ctx.kv.isUp() ? 'ok' : 'unreachable';
  const checks = {
    database,
    log,
    changes: isStale ? `not read for ${Math.round(ageMs / 1000)} s` : 'ok',
    settlement: slow === undefined ? 'ok' : `slow: ${slow}`,
    redis: ctx.kv.kind === 'redis' ? redis : 'not used',
    version: ctx.version,
  };
  if (database !== 'ok') return { status: 'database unreachable', checks };
  return { status: isStale ? 'changes are not read' : 'ok', checks };
}

async function databaseHealth(
  { log }: Context,
  database: Context['reads'],
): Promise<'ok' | 'unreachable' | 'slow'> {
  let timer: NodeJS.Timeout | undefined;
  const slow = new Promise<'slow'>((resolve) => {
    timer = setTimeout(() => resolve('slow'), DATABASE_PATIENCE_MS);
  });
  const asked = database.raw('select 1').then(
    () => 'ok' as const,
    (error: Error) => {
      log.warn({ err: error }, 'a database does not answer');
      return 'unreachable' as const;
    },
  );
  try {
    return await Promise.race([asked, slow]);
  } finally {
    clearTimeout(timer);
  }
}

/** One answer for all who ask within `ms` of its beginning, or while it is being found. */
function keptFor<T>(ms: number, find: () => Promise<T>): () => Promise<T> {
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
