/** Tenants for realtime sessions, and what their responses cost. */
import { onTestFinished } from 'vitest';
import { failedCallOfRequest } from '../../../src/store/logs/failed-calls.ts';
import { eventually, type Site } from '../../support/site.ts';
import { addRow, addTenant, type Tenant, type TenantOptions } from '../tenant.ts';
import {
  type ClientSession,
  openSession,
  type ServerEvent,
  type SessionOptions,
} from './client-session.ts';

/** Like a tenant's price, with audio and audio output added. */
export const RATIO = {
  model: 1.375,
  completion: 3.2,
  cache: 0.45,
  audio: 7.5,
  audioCompletion: 1.9,
};

export const SECOND_OF_SOUND = Buffer.alloc(48_000).toString('base64');

export const failureOf = (site: Site, requestId: string) =>
  eventually('the failure is recorded', () => failedCallOfRequest(site.ctx.reads, requestId));

export async function realtimeTenant(site: Site, options: TenantOptions = {}): Promise<Tenant> {
  const tenant = await addTenant(site, { ownPrice: true, ...options });
  await addRow(site, 'AudioRatio', tenant.model, RATIO.audio);
  await addRow(site, 'AudioCompletionRatio', tenant.model, RATIO.audioCompletion);
  return tenant;
}

/** A session of the tenant, which is closed and settled at the end of the test. */
export async function open(tenant: Tenant, options: SessionOptions = {}): Promise<ClientSession> {
  const { site, model, token, user } = tenant;
  const session = await openSession(site, { model, key: token.key, ...options });
  onTestFinished(async () => {
    session.socket.close();
    await site.settled(user.id);
  });
  return session;
}

/** The charge for the usage of `response.done`, in whole units. */
export function unitsOf(done: ServerEvent): number {
  const { input_token_details: input, output_token_details: output } = done.response.usage;
  const cached = input.cached_tokens_details;
  const weight =
    (input.text_tokens - cached.text_tokens) * 1 +
    (input.audio_tokens - cached.audio_tokens) * RATIO.audio +
    input.cached_tokens * RATIO.cache +
    output.text_tokens * RATIO.completion +
    output.audio_tokens * RATIO.audio * RATIO.audioCompletion;
  return Math.max(1, Math.round(weight * RATIO.model));
}
