import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { checkCaptcha } from '../../../src/services/sign-in/captcha.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

/** A fake captcha service that returns `verdict` and keeps the submitted forms. */
let service: Server;
let verdict: { status: number; body: string };
const forms: Record<string, string>[] = [];

service = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    forms.push(Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString())));
    response.writeHead(verdict.status).end(verdict.body);
  });
});
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
const { port } = service.address() as AddressInfo; // a TCP server's
const site = await sharedLocalSite('sqlite', {
  turnstileUrl: `http://127.0.0.1:${port}/siteverify`,
});
const { option } = site.as(OPERATOR);
await option.set({ key: 'TurnstileSiteKey', value: 'site key' });
await option.set({ key: 'TurnstileSecretKey', value: 'secret key' });
await option.set({ key: 'TurnstileCheckEnabled', value: true });

afterAll(() => new Promise((resolve) => service.close(resolve)));

beforeEach(() => {
  forms.length = 0;
  answer({ success: true });
});

function answer(body: object | string, status = 200): void {
  verdict = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

const check = (token: string, address = '203.0.113.9') => checkCaptcha(site.ctx, token, address);

describe('captcha verification', () => {
  it('accepts an answer that the service accepts', async () => {
    await check('token a');
    expect(forms).toEqual([{ secret: 'secret key', response: 'token a', remoteip: '203.0.113.9' }]);
  });

  it('accepts each answer only once, even if the service would accept it again', async () => {
    const tries = await Promise.allSettled([check('token b'), check('token b'), check('token b')]);
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expectRefusal(check('token b'), 'captcha_failed');
  });

  it('refuses a missing, a wrong and an oversized answer', async () => {
    await expectRefusal(check(''), 'captcha_missing', { param: 'turnstile' });
    await expectRefusal(check('x'.repeat(2_049)), 'captcha_failed');
    expect(forms).toHaveLength(0);
    answer({ success: false, 'error-codes': ['timeout-or-duplicate'] });
    await expectRefusal(check('token c'), 'captcha_failed');
  });

  it.each([
    ['an answer that is no JSON', '<html>', 502],
    ['an answer without a verdict', {}, 200],
    ['a wrong secret', { success: false, 'error-codes': ['invalid-input-secret'] }, 200],
    ['trouble of the service', { success: false, 'error-codes': ['internal-error'] }, 200],
  ])('can be retried after %s', async (_why, body, status) => {
    answer(body, status);
    await expectRefusal(check('token d'), 'captcha_unavailable');
  });

  it('can be retried after a timeout', async () => {
    const elsewhere = { ...site.ctx.config, turnstileUrl: 'http://127.0.0.1:1/' };
    await expectRefusal(
      checkCaptcha({ ...site.ctx, config: elsewhere }, 'token e', ''),
      'captcha_unavailable',
    );
    await check('token e', '');
    expect(forms).toEqual([{ secret: 'secret key', response: 'token e' }]);
  });

  it('is skipped while it is off', async () => {
    await site.as(OPERATOR).option.set({ key: 'TurnstileCheckEnabled', value: false });
    await check('');
    await site.as(OPERATOR).option.set({ key: 'TurnstileCheckEnabled', value: true });
    expect(forms).toHaveLength(0);
  });
});
