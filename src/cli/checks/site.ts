/** Checks that use API calls, on this machine or on a remote server. */
import type { Config } from '../../config.ts';
import { fitsListener, localServerAddress } from '../../domain/addresses/server-address.ts';
import { usesPlainHttp } from '../../domain/oidc-address.ts';
import { CHANNEL_STATUS } from '../../domain/statuses.ts';
import { firstNames } from '../../domain/text/first-names.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import type { Session } from '../../session/session.ts';
import { allItems } from '../lookup/paged-lists.ts';
import { type Check, type Finding, failed, naming, passed, warning } from './check.ts';

export const SITE_CHECKS: readonly Check<Session>[] = [
  {
    name: 'setup',
    look: async ({ api }, { t }) =>
      (await api.setup.state({})).status ? passed() : warning(t('cli.doctor.not_set_up')),
  },
  { name: 'address', look: (session, { t }) => addressFinding(session, t) },
  {
    name: 'oidc',
    look: async ({ api }, { t }) => {
      const options = await api.option.list({ prefix: 'oidc.' });
      const values = new Map(options.map(({ key, value }) => [key, value]));
      const isEnabled = values.get('oidc.enabled') === 'true';
      return isEnabled && usesPlainHttp((key) => values.get(key) ?? '')
        ? warning(t('cli.doctor.oidc_http'))
        : passed();
    },
  },
  {
    name: 'ledger',
    look: async ({ api }, { t }) => {
      const { ok, checked, differences } = await api.ledger.verify({});
      const params = { count: ok ? checked.entries : differences.length };
      return ok
        ? passed(t('cli.doctor.ledger', params))
        : failed(t('cli.doctor.ledger_differs', params));
    },
  },
  {
    name: 'prices',
    look: async ({ api }, cli) =>
      naming(await api.price.unpriced({}), failed, cli, 'cli.doctor.unpriced'),
  },
  {
    name: 'channels',
    look: async ({ api }, { t }) => {
      const items = await allItems(api.channel.list);
      const enabled = items.filter(({ status }) => status === CHANNEL_STATUS.enabled);
      if (items.length === 0) return passed(t('cli.doctor.no_channels'));
      if (enabled.length === 0)
        return failed(t('cli.doctor.none_enabled', { count: items.length }));
      const broken = items.filter(({ status }) => status === CHANNEL_STATUS.auto_disabled);
      const names = firstNames(namesOf(broken));
      if (broken.length > 0) return warning(t('cli.doctor.went_off', { names }));
      return passed(t('cli.doctor.channels', { enabled: enabled.length, count: items.length }));
    },
  },
  {
    name: 'channel_keys',
    look: async ({ api }, cli) => {
      const enabled = await allItems(api.channel.list, { status: CHANNEL_STATUS.enabled });
      const keyless = enabled.filter(({ keys }) => !keys.some((key) => key.status === 1));
      return naming(namesOf(keyless), failed, cli, 'cli.doctor.keyless');
    },
  },
  {
    name: 'channel_health',
    look: async ({ api }, cli) => {
      const failing = await allItems(api.channel.list, { health: 'failing' });
      return naming(namesOf(failing), failed, cli, 'cli.doctor.failing');
    },
  },
  {
    name: 'jobs',
    look: async ({ api }, cli) => {
      const jobs = await api.job.list({});
      const ill = jobs.filter(({ outcome }) => outcome === 'failed' || outcome === 'timed_out');
      const names = ill.map(({ name, error }) => (error === '' ? name : `${name} (${error})`));
      return naming(names, warning, cli, 'cli.doctor.jobs_failed');
    },
  },
];

function namesOf(channels: readonly { readonly name: string }[]): string[] {
  return channels.map(({ name }) => name);
}

const PROBE_MS = 1_000;

/**
 * The configuration does not show a port given to `serve` as a flag, so a running site must also
 * respond at the address that links use.
 */
async function addressFinding(
  { api, ctx, location }: Session,
  t: (key: string, params: Readonly<Record<string, string>>) => string,
): Promise<Finding> {
  const { server_address: address } = await api.status.get({});
  const refusal = ctx === undefined ? await originRefusal(location) : undefined;
  if (refusal !== undefined) return failed(refusal);
  const isFit = fitsListener(address, ctx === undefined ? location : listenerOf(ctx.config));
  const isResponding = !isFit || (await respondsToPing(address, ctx));
  return isResponding && isFit
    ? passed(address)
    : warning(t('cli.doctor.unfit_address', { address }));
}

function listenerOf({ host, port }: Config): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Sends what a browser would at this address. Without an account the answer is a refusal in any
 * case; it shows whether a proxy on the way changes the Host header.
 */
async function originRefusal(location: string): Promise<string | undefined> {
  const origin = new URL(location).origin;
  const response = await fetch(`${location}/api/token/`, {
    method: 'POST',
    headers: { origin },
    signal: AbortSignal.timeout(PROBE_MS),
  }).catch(() => undefined);
  const text = (await response?.text().catch(() => '')) ?? '';
  const { code, message } = parsedObject(text);
  return code === 'origin_denied' ? String(message) : undefined;
}

/** Probes only a default address, which is on this machine. */
async function respondsToPing(address: string, ctx: Session['ctx']): Promise<boolean> {
  if (ctx === undefined || address !== localServerAddress(ctx.config.port)) return true;
  const { livingNodes } = await import('../../services/cluster/nodes.ts');
  if ((await livingNodes(ctx)).length === 0) return true;
  const signal = AbortSignal.timeout(PROBE_MS);
  const response = await fetch(`${address}/health/live`, { signal }).catch(() => undefined);
  return response?.ok ?? false;
}
