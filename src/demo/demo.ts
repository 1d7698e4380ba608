/**
 * `gateway demo`: a complete run from scratch on this machine: a fresh SQLite database in a
 * temporary folder, a bundled mock upstream (or a real one), an administrator, a channel, a token,
 * one plain and one streamed call through the official SDK over real HTTP, and their cost.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import OpenAI from 'openai';
import { tokenCalls } from '../api/accounts/token.ts';
import { userCalls } from '../api/accounts/user.ts';
import { ledgerCalls } from '../api/billing/ledger.ts';
import { channelCalls } from '../api/channels/channel.ts';
import { localClient } from '../api/local.ts';
import { setupCalls } from '../api/site/setup.ts';
import { loadConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { usdOf } from '../domain/pricing/quota-text.ts';
import { startServer } from '../server/serve.ts';
import type { Serving } from '../server/serving.ts';
import * as users from '../services/accounts/users.ts';
import * as ledger from '../services/billing/ledger-reports.ts';
import * as channels from '../services/channels/channels.ts';
import * as setup from '../services/site/setup.ts';
import * as tokens from '../services/tokens/tokens.ts';
import { startMockUpstream } from './mock-upstream.ts';

export interface DemoOptions {
  /** Exit after the calls instead of continuing to serve. */
  readonly exit: boolean;
  readonly port: number;
  /** URL of a real upstream instead of the bundled one. */
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
}

export interface DemoIo {
  out(text: string): void;
  readonly signal: AbortSignal;
}

const OPERATOR = { kind: 'operator' } as const;
const PASSWORD = 'demo-password';
const MOCK_KEY = 'demo-upstream-key';

/** Returns the exit code: 0 when every step succeeded, 1 otherwise. */
export async function runDemo(options: DemoOptions, io: DemoIo): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gateway-demo-'));
  const upstream = options.baseUrl === '' ? await startMockUpstream(MOCK_KEY) : undefined;
  let serving: Serving | undefined;
  try {
    // Holds are made per call, so none is open once the calls are over.
    const config = loadConfig(
      { dataDir: folder, port: options.port, logLevel: 'warn' },
      { GATEWAY_STRICT_HOLDS: 'true' },
    );
    serving = await startServer(config);
    const { ctx } = serving.booted;
    io.out(`database   ${serving.booted.databases.location}\nserver     ${serving.url}\n`);
    const target =
      upstream === undefined
        ? { baseUrl: options.baseUrl, key: options.key }
        : { baseUrl: upstream.url, key: MOCK_KEY };
    io.out(`upstream   ${target.baseUrl}${upstream === undefined ? '' : ' (bundled mock)'}\n\n`);
    const apiKey = await provision(ctx, io, { ...target, model: options.model });
    const receipts = await calls(serving.url, apiKey, options.model, io);
    for (const requestId of receipts) await printReceipt(ctx, requestId, io);
    const isClean = (await verify(ctx, io)) && receipts.length === CALLS;
    if (options.exit) return isClean ? 0 : 1;
    io.out(
      `console    ${serving.url}\nAPI key    ${apiKey}\nCtrl-C ends the demo and deletes its data.\n`,
    );
    await ended(io.signal);
    return isClean ? 0 : 1;
  } finally {
    await serving?.stop();
    await upstream?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Target {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
}

/** Set-up, channel and token, by the calls of `gateway setup`, `channel create`, `token create`. */
async function provision(ctx: Context, io: DemoIo, target: Target): Promise<string> {
  const api = {
    setup: localClient(setupCalls, setup, ctx, OPERATOR),
    channel: localClient(channelCalls, channels, ctx, OPERATOR),
    token: localClient(tokenCalls, tokens, ctx, OPERATOR),
    user: localClient(userCalls, users, ctx, OPERATOR),
  };
  await api.setup.run({ username: 'root', password: PASSWORD, confirmPassword: PASSWORD });
  io.out('✓ set up   administrator root\n');
  const channel = await api.channel.create({
    name: 'demo',
    key: target.key,
    base_url: target.baseUrl,
    models: target.model,
  });
  io.out(`✓ channel  #${channel.id} ${channel.name} serves ${target.model}\n`);
  const root = await api.user.getByName({ username: 'root' });
  const token = await api.token.create({ name: 'demo', user: root.id, remain_quota: 5_000_000 });
  io.out(`✓ token    ${token.name}\n\n`);
  return token.key;
}

const CALLS = 2;

/** Makes one plain and one streamed call. Returns the ids of the successful ones. */
async function calls(url: string, apiKey: string, model: string, io: DemoIo): Promise<string[]> {
  const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
  const answered: string[] = [];
  for (const call of [plainCall, streamedCall]) {
    try {
      answered.push(await call(client, model, io));
    } catch (error) {
      if (!(error instanceof OpenAI.APIError)) throw error;
      io.out(`✗ the upstream did not answer: ${error.message}\n`);
    }
  }
  io.out('\n');
  return answered;
}

const MESSAGES = [
  { role: 'user' as const, content: 'Say hello to the person who runs this demo.' },
];

/** Calls as any program would; returns the request id. */
async function plainCall(client: OpenAI, model: string, io: DemoIo): Promise<string> {
  const request = client.chat.completions.create({ model, messages: MESSAGES });
  const { data, response } = await request.withResponse();
  io.out(`plain      ${data.choices[0]?.message.content ?? ''}\n`);
  return response.headers.get('x-request-id') ?? '';
}

async function streamedCall(client: OpenAI, model: string, io: DemoIo): Promise<string> {
  const request = client.chat.completions.create({
    model,
    messages: MESSAGES,
    stream: true,
    stream_options: { include_usage: true },
  });
  const { data, response } = await request.withResponse();
  io.out('streamed   ');
  for await (const chunk of data) io.out(chunk.choices[0]?.delta.content ?? '');
  io.out('\n');
  return response.headers.get('x-request-id') ?? '';
}

async function printReceipt(ctx: Context, requestId: string, io: DemoIo): Promise<void> {
  const api = localClient(ledgerCalls, ledger, ctx, OPERATOR);
  const explained = await api.explain({ request_id: requestId });
  const [log] = explained.logs;
  if (log === undefined || explained.ledger.length === 0)
    throw new Error(`no receipt for ${requestId}`);
  const { price } = explained;
  const kinds = Object.entries(price.usage ?? {}).map(([kind, tokens]) => `${kind} ${tokens}`);
  const rates = Object.entries(price.rates ?? {}).map(([kind, usd]) => `${kind} ${usd}`);
  const usd = usdOf(log.quota, ctx.options().get('QuotaPerUnit'));
  io.out(
    [
      `receipt    ${requestId}`,
      `  model    ${log.model_name}${log.is_stream ? ', streamed' : ''}`,
      `  tokens   ${kinds.join(', ')} (${log.usage_source})`,
      `  price    by the ${price.price_rule} name ${price.price_name}, in USD per million tokens: ${rates.join(', ')}; group x${price.group_ratio}`,
      `  quota    ${price.exact_units} units, rounded to ${log.quota} (${usd} USD); held before: ${price.held}`,
      ...explained.ledger.map(
        (row) =>
          `  ledger   #${row.id} ${row.key} ${row.cause}: user ${row.user_units}, token ${row.token_units}, channel +${row.channel_units}`,
      ),
      '',
      '',
    ].join('\n'),
  );
}

async function verify(ctx: Context, io: DemoIo): Promise<boolean> {
  const report = await localClient(ledgerCalls, ledger, ctx, OPERATOR).verify({});
  const { entries, users, tokens, channels, holds } = report.checked;
  io.out(
    `${report.ok ? '✓' : '✗'} ledger   ${entries} entries, ${users} users, ${tokens} tokens, ${channels} channels, ${holds} open holds\n`,
  );
  for (const difference of report.differences) io.out(`  ${JSON.stringify(difference)}\n`);
  return report.ok && holds === 0;
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
