/**
 * Gauges that are read at scrape time: the state of this process, and of the site as stored in the
 * database. The database is queried at most every ten seconds, however many scrape.
 */
import { JOB_NAMES } from '../domain/jobs.ts';
import type { Relay } from '../relay/call/relay-ports.ts';
import type { ChannelEntry } from '../services/cache/routing-cache.ts';
import { intervalOf } from '../services/site/job-list.ts';
import { readSiteStatistics, type SiteStatistics } from '../store/tables/site-counts.ts';
import { MAX_CHANNELS } from './call-metrics.ts';
import { channelTypeSlug } from './channel-labels.ts';
import type { MetricRegistry } from './metric-registry.ts';

const SITE_CACHE_MS = 10_000;
const DATABASE_TIMEOUT_MS = 2_000;
/** Nodes with an older heartbeat are not counted. */
const HEARTBEAT_FRESH_SEC = 30;

/** Fills the gauges; call it before each scrape. Never rejects. */
export type GaugeReader = () => Promise<void>;

export function createGaugeReader(figures: MetricRegistry, relay: Relay): GaugeReader {
  const { ctx } = relay;
  let site: Promise<SiteStatistics | undefined> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  const lastSuccess = new Map<string, number>();

  const cachedSite = (): Promise<SiteStatistics | undefined> => {
    if (site !== undefined && performance.now() - readAt < SITE_CACHE_MS) return site;
    readAt = performance.now();
    site = readSiteStatistics(ctx.reads, {
      freshSec: HEARTBEAT_FRESH_SEC,
      limit: MAX_CHANNELS,
    }).catch(
      // `gateway_database_up` reports an unreachable database.
      () => undefined,
    );
    return site;
  };

  figures.set('gateway_build_info', 1, ctx.version, process.version, ctx.engine);
  return async () => {
    readProcess(figures, relay);
    const known = await Promise.race([cachedSite(), timeoutAfter(DATABASE_TIMEOUT_MS)]);
    figures.set('gateway_database_up', known === undefined ? 0 : 1);
    readSite(figures, relay, known, lastSuccess);
  };
}

function timeoutAfter(ms: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), ms).unref();
  });
}

/** Beyond this, the breakers with the fewest failures are left out. */
const MAX_BREAKERS = 200;
const BREAKER_VALUES = { closed: 0, half_open: 1, open: 2 } as const;

function readProcess(figures: MetricRegistry, relay: Relay): void {
  const { ctx, bodies, breakers, pools, routing, sessions, inFlight } = relay;
  figures.set('gateway_calls_in_flight', inFlight.size);
  figures.set('gateway_realtime_sessions', sessions.size);
  figures.set('gateway_body_bytes', bodies.bytes);
  figures.set('gateway_body_budget_bytes', bodies.totalBytes);
  figures.set('gateway_keys_waiting', breakers.keysInCooldown);
  figures.number('gateway_channel_breaker_state').clear();
  for (const { channelId, model, state } of breakers.states().slice(0, MAX_BREAKERS)) {
    const channel = routing.channel(channelId);
    // A call that names its channel may request any model from it.
    const name = servesModel(channel, model) ? model : 'other';
    const labels = [String(channelId), channelTypeSlug(channel?.type ?? 0), name] as const;
    const cell = figures.number('gateway_channel_breaker_state').labelled(...labels);
    cell.value = Math.max(cell.value, BREAKER_VALUES[state]);
  }
  for (const [state, count] of Object.entries(pools.connections()))
    figures.set('gateway_upstream_connections', count, state);
  figures.set('gateway_commit_queue_length', ctx.ledger.waiting());
  const ageMs = ctx.changes.ageMs();
  if (ageMs !== undefined) figures.set('gateway_change_feed_lag_seconds', ageMs / 1000);
  const { redis } = ctx.kv;
  if (redis !== undefined) {
    figures.set('gateway_redis_up', ctx.kv.isUp() ? 1 : 0);
    figures.set('gateway_redis_unanswered_total', redis.timeouts());
  }
  readPools(figures, relay);
}

function servesModel(channel: ChannelEntry | undefined, model: string): boolean {
  if (channel === undefined || !model.startsWith(channel.prefix)) return false;
  return channel.models.has(model.slice(channel.prefix.length));
}

/** The connection pool of knex (tarn.js). */
interface ConnectionPool {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

function readPools(figures: MetricRegistry, { ctx: { db, reads } }: Relay): void {
  const pools = db === reads ? { write: db } : { write: db, read: reads };
  for (const [name, { client }] of Object.entries(pools)) {
    const pool: ConnectionPool | undefined = client.pool;
    if (pool === undefined) continue;
    figures.set('gateway_database_pool', pool.numUsed(), name, 'used');
    figures.set('gateway_database_pool', pool.numFree(), name, 'idle');
    figures.set('gateway_database_pool', pool.numPendingAcquires(), name, 'pending');
  }
}

const STATUS_NAMES = new Map([
  [1, 'enabled'],
  [2, 'disabled'],
  [3, 'auto_disabled'],
]);

const SITE_GAUGES = [
  'gateway_holds_open',
  'gateway_oldest_hold_seconds',
  'gateway_channels',
  'gateway_channel_balance',
  'gateway_job_last_outcome',
  'gateway_job_last_success_timestamp_seconds',
  'gateway_job_interval_seconds',
  'gateway_nodes',
  'gateway_schema_version',
] as const;

/** Gauges that cannot be read are left out, because a stale value would look current. */
function readSite(
  figures: MetricRegistry,
  { ctx }: Relay,
  site: SiteStatistics | undefined,
  lastSuccess: Map<string, number>,
): void {
  for (const name of SITE_GAUGES) figures.number(name).clear();
  if (site === undefined) return;
  const { holds, oldestHoldSec, channels, balances, jobs, nodes, migrations } = site;
  figures.set('gateway_holds_open', holds);
  const ageSec = oldestHoldSec === 0 ? 0 : Math.max(0, ctx.now() / 1000 - oldestHoldSec);
  figures.set('gateway_oldest_hold_seconds', ageSec);
  for (const [status, name] of STATUS_NAMES)
    figures.set('gateway_channels', channels.get(status) ?? 0, name);
  for (const { channelId, type, amount, currency } of balances)
    figures.set(
      'gateway_channel_balance',
      amount,
      String(channelId),
      channelTypeSlug(type),
      currency,
    );
  for (const { name, outcome, finishedAtMs } of jobs) {
    if (outcome !== '') figures.set('gateway_job_last_outcome', 1, name, outcome);
    if (outcome === 'done') lastSuccess.set(name, finishedAtMs / 1000);
  }
  for (const [name, atSec] of lastSuccess)
    figures.set('gateway_job_last_success_timestamp_seconds', atSec, name);
  for (const name of JOB_NAMES) {
    const everyMs = intervalOf(ctx, name);
    if (everyMs !== undefined) figures.set('gateway_job_interval_seconds', everyMs / 1000, name);
  }
  figures.set('gateway_nodes', nodes);
  figures.set('gateway_schema_version', migrations);
}
