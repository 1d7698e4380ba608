/** Checks that need an open database with a current schema. */

import type { Context } from '../../context.ts';
import { parsedUrl } from '../../domain/addresses/parsed-url.ts';
import { isLoopbackName } from '../../domain/addresses/server-address.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { baseAddress } from '../../domain/options/checks.ts';
import type { OptionKey } from '../../domain/options/registry.ts';
import { firstNames } from '../../domain/text/first-names.ts';
import type { Translate } from '../../locales/text.ts';
import type { LocalSession } from '../../session/session.ts';
import { type Check, type Finding, failed, naming, passed, warning } from './check.ts';

const CLOCK_TOLERANCE_SEC = 5;

export const DATABASE_CHECKS: readonly Check<LocalSession>[] = [
  { name: 'schema', look: async ({ location }) => passed(location) },
  {
    name: 'storage',
    look: async ({ ctx }, { t }) => {
      if (ctx.engine !== 'sqlite') return passed(ctx.engine);
      const { sqliteHealth } = await import('../../store/schema/maintenance.ts');
      const { quick_check, ...pragmas } = await sqliteHealth(ctx.db);
      const { journal_mode, foreign_keys, synchronous, busy_timeout } = pragmas;
      const detail = Object.entries({ ...pragmas, quick_check }).map((pair) => pair.join('='));
      if (quick_check !== 'ok') return failed(t('cli.doctor.damaged', { found: quick_check }));
      const isSafe = journal_mode === 'wal' && foreign_keys && synchronous >= 2 && busy_timeout > 0;
      return isSafe ? passed(detail.join(' ')) : failed(detail.join(' '));
    },
  },
  { name: 'connections', look: ({ ctx }, { t }) => connectionFinding(ctx, t) },
  { name: 'log', look: ({ ctx }, { t }) => logFinding(ctx, t) },
  {
    name: 'clock',
    look: async ({ ctx }, { t }) => {
      const { clockSkewSec } = await import('../../store/schema/maintenance.ts');
      const skew = await clockSkewSec(ctx.db, ctx.engine, ctx.now());
      if (Math.abs(skew) > CLOCK_TOLERANCE_SEC)
        return failed(t('cli.doctor.clock', { seconds: skew }));
      const { livingNodes } = await import('../../services/cluster/nodes.ts');
      const wrong = (await livingNodes(ctx))
        .map(({ name, skewMs }) => ({ name, seconds: Math.round(skewMs / 1000) }))
        .filter(({ seconds }) => Math.abs(seconds) > CLOCK_TOLERANCE_SEC)
        .map(({ name, seconds }) => `${name} (${seconds > 0 ? '+' : ''}${seconds} s)`);
      return naming(wrong, failed, { t }, 'cli.doctor.node_clocks');
    },
  },
  {
    name: 'options',
    look: ({ ctx }, cli) => {
      const broken = ctx.options().problems();
      const names = broken.map(({ key }) => key);
      return naming(names, warning, cli, 'cli.doctor.options_ignored');
    },
  },
  { name: 'payments', look: ({ ctx }, { t }) => paymentFinding(ctx, t) },
  { name: 'egress', look: ({ ctx }, { t }) => egressFinding(ctx, t) },
  { name: 'redis', look: ({ ctx }, { t }) => redisFinding(ctx, t) },
  {
    name: 'nodes',
    look: async ({ ctx }, { t }) => {
      const { livingNodes } = await import('../../services/cluster/nodes.ts');
      const nodes = await livingNodes(ctx);
      const versions = [...new Set(nodes.map(({ version }) => version))];
      if (versions.length > 1)
        return warning(t('cli.doctor.versions_differ', { names: firstNames(versions) }));
      const families = new Set(nodes.map(({ family }) => family)).size;
      if (families > 1 && ctx.kv.kind === 'memory')
        return warning(t('cli.doctor.no_redis', { count: families }));
      return passed(t('cli.doctor.nodes', { count: nodes.length }));
    },
  },
];

const PAYMENT_KEYS = ['PayAddress', 'EpayId', 'EpayKey'] as const satisfies readonly OptionKey[];

/** Stored values may be older than the check of the option. */
const ADDRESS_KEYS = ['PayAddress', 'CustomCallbackAddress', 'ServerAddress'] as const;

/** Each process has its pool and one connection for liveness checks. */
async function connectionFinding(ctx: Context, t: Translate): Promise<Finding> {
  const { engine, db, config } = ctx;
  if (engine === 'sqlite') return passed();
  const { connectionLimit: connectionPlaces } = await import('../../store/schema/maintenance.ts');
  const { livingNodes } = await import('../../services/cluster/nodes.ts');
  const limit = await connectionPlaces(db, engine);
  const processes = (await livingNodes(ctx)).length;
  const params = { processes, needed: processes * (config.databasePool + 1), limit };
  return params.needed > limit
    ? warning(t('cli.doctor.connections_short', params))
    : passed(t('cli.doctor.connections', params));
}

const MANY_WAITING = 10_000;

/** Entries not yet in the separate log database, including those from before it was configured. */
async function logFinding({ reads, logDatabase }: Context, t: Translate): Promise<Finding> {
  if (!logDatabase.isSeparate) return passed(logDatabase.engine);
  const waiting = (await reads('log_outbox').limit(MANY_WAITING).pluck('id')).length;
  if (waiting === MANY_WAITING) return warning(t('cli.doctor.log_waits', { count: waiting }));
  if ((await reads('logs').first('id')) !== undefined) return warning(t('cli.doctor.log_left'));
  return passed(logDatabase.location);
}

/**
 * Payment must be configured completely or not at all: otherwise users would reach a page that
 * cannot accept their payment.
 */
function paymentFinding({ options }: Context, t: Translate): Finding {
  const values = options();
  const missing = PAYMENT_KEYS.filter((key) => values.raw(key) === '');
  if (missing.length === PAYMENT_KEYS.length) return passed(t('cli.doctor.no_payments'));
  const wrong = ADDRESS_KEYS.find((key) => baseAddress(values.raw(key)) !== undefined);
  if (wrong !== undefined) return failed(t('cli.doctor.payments_address', { name: wrong }));
  if (missing.length > 0) return failed(t('cli.doctor.payments_lack', { names: missing }));
  const address = values.raw('CustomCallbackAddress') || values.raw('ServerAddress');
  const host = parsedUrl(address)?.hostname;
  const isReachable = host !== undefined && !isLoopbackName(host);
  return isReachable ? passed() : failed(t('cli.doctor.payments_unheard'));
}

/** One example of each kind of internal address that the gateway must never fetch. */
const INSIDE = [
  '127.0.0.1',
  '10.0.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '[::1]',
  '[fd00::1]',
  '[64:ff9b::7f00:1]',
];

/** Tests the guard itself without network access. */
async function egressFinding(ctx: Context, t: Translate): Promise<Finding> {
  const { requirePublicUrl } = await import('../../services/network/egress.ts');
  const open: string[] = [];
  for (const host of INSIDE)
    await requirePublicUrl(ctx, `http://${host}/`, 'url').then(
      () => open.push(host),
      () => undefined,
    );
  if (open.length === 0) return passed(t('cli.doctor.egress_closed', { count: INSIDE.length }));
  const names = firstNames(open);
  return ctx.config.egressAllow === ''
    ? failed(t('cli.doctor.egress_open', { names }))
    : warning(t('cli.doctor.egress_allowed', { names }));
}

async function redisFinding({ kv, random }: Context, t: Translate): Promise<Finding> {
  const { redis } = kv;
  if (redis === undefined) return passed(t('cli.doctor.redis_unused'));
  if (!kv.isUp()) throw new AppError('redis_unreachable', { names: 'GATEWAY_REDIS' });
  const text = random(8).toString('hex');
  const key = `doctor:${text}`;
  const startedAtMs = performance.now();
  await kv.put(key, text, 10_000);
  const [found] = await kv.read([key]);
  // As calls do it: several caps at once, by a script.
  const caps = (['calls', 'tokens'] as const).map((of) => ({ key: `${key}:${of}`, of, limit: 1 }));
  const permitRequest = { id: text, caps, tokens: { least: 1, most: 1 }, leaseMs: 10_000 };
  const share = await kv.takePermit(permitRequest).catch(() => undefined); // rejected if not counted
  const isCounted = share !== undefined && 'grantedBy' in share && share.grantedBy === 'redis';
  if (isCounted) await kv.returnPermit(share, 0);
  const ms = Math.round(performance.now() - startedAtMs);
  if (found !== text) return failed(t('cli.doctor.redis_mute'));
  if (!isCounted) return failed(t('cli.doctor.redis_no_counts'));
  return passed(t(`cli.doctor.redis_${redis.topology}`, { ms }));
}
