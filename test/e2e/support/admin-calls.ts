/** Prepares data through the management API with the page's session. */
import type { Page } from '@playwright/test';
import type { FakeUpstream } from '../../upstream/server.ts';
import { UPSTREAM_KEY } from './browser.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Returns the data of the response. @throws Error if the gateway refuses. */
export async function call<T>(
  page: Page,
  method: Method,
  address: string,
  data?: unknown,
): Promise<T> {
  const answer = await page.request.fetch(address, { method, ...(data !== undefined && { data }) });
  const reply = await answer.json();
  if (!reply.success) throw new Error(`${method} ${address}: ${reply.message}`);
  return reply.data;
}

let made = 0;

/** A name that is unique on this gateway, of at most 12 characters. */
export function aName(start: string): string {
  made += 1;
  return `${start}${made}${Date.now().toString(36).slice(-5)}`;
}

export const PASSWORD = 'battery staple';

export interface MadeUser {
  readonly id: number;
  readonly username: string;
  readonly quota: number;
}

export function makeUser(
  page: Page,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<MadeUser> {
  const user = { username: aName('user'), password: PASSWORD, quota: 1_000_000, ...fields };
  return call(page, 'POST', '/api/user/', user);
}

/** Creates a channel and deletes all others, so that calls use it. */
export async function onlyChannel(
  page: Page,
  upstream: Pick<FakeUpstream, 'url'>,
  models: string,
): Promise<void> {
  const address = '/api/channel/';
  const { items } = await call<{ items: { id: number }[] }>(
    page,
    'GET',
    `${address}?page_size=100`,
  );
  const ids = items.map(({ id }) => id);
  if (ids.length > 0) await call(page, 'POST', `${address}batch`, { ids, force: true });
  const channel = { name: aName('only-'), type: 1, key: UPSTREAM_KEY, base_url: upstream.url };
  await call(page, 'POST', address, { ...channel, models });
}
