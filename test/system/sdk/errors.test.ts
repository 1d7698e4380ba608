/**
 * Provokes every error of the model API on a running gateway and checks how often SDKs send the
 * request and what they finally throw. Only the retry delays are shortened.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { aSite, OPERATOR, type Site } from '../../support/site.ts';
import type { Plan } from '../../upstream/plans/plan.ts';
import { SHOWN_ROWS } from './error-rows.ts';
import { MOST_REQUESTS, PROGRAMS, type Program } from './programs.ts';

/** Sent instead of the SDK's own request; `HERE` in a body is replaced by the model. */
interface Wire {
  readonly path?: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Scene {
  readonly site: Site;
  /** A model with a price that no other test uses. */
  readonly model: string;
}

interface Setting {
  readonly key?: string;
  readonly wire?: Wire;
  /** Plan for every request of the call. */
  readonly plan?: Plan;
  /** Reverts changes that affect other tests. */
  readonly end?: () => Promise<void>;
}

type Provoke = (scene: Scene) => Promise<Setting>;

const chatWire = (extra: object = {}): Wire => ({
  path: '/v1/chat/completions',
  body: JSON.stringify({
    model: 'HERE',
    messages: [{ role: 'user', content: 'Hello.' }],
    ...extra,
  }),
});

const picture = {
  messages: [
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'http://127.0.0.1:9/a.png' } }],
    },
  ],
};

/** Adds a channel for the model, if the row needs nothing else from it. */
async function serve({ site, model }: Scene, fields = {}): Promise<number> {
  return (await site.addChannel({ models: model, ...fields })).id;
}

function onChannel(fields: object, setting: Setting = {}): Provoke {
  return async (scene) => {
    await serve(scene, fields);
    return setting;
  };
}

function withToken(fields: object): Provoke {
  return async (scene) => {
    await serve(scene);
    return { key: (await scene.site.addToken(fields)).key };
  };
}

function ofUser(account: object, after?: (scene: Scene, id: number) => Promise<unknown>): Provoke {
  return async (scene) => {
    await serve(scene);
    const owner = await scene.site.addUser(account);
    const { key } = await scene.site.addToken({ owner });
    await after?.(scene, owner.id);
    return { key };
  };
}

/** Calls with an admin key that names a channel. */
function naming(channelOf: (scene: Scene) => Promise<number | string>): Provoke {
  return async (scene) => {
    const { key } = await scene.site.addToken({ owner: await scene.site.addUser({ role: 10 }) });
    return { key: `${key}-${await channelOf(scene)}` };
  };
}

/** Writes values that the management API refuses but that an older channel may contain. */
function stored(columnsOf: (model: string) => object): Provoke {
  return async (scene) => {
    const id = await serve(scene);
    await scene.site.ctx.db('channels').where({ id }).update(columnsOf(scene.model));
    await scene.site.as(OPERATOR).channel.edit({ id, weight: 1 });
    return {};
  };
}

const broken = (plan: Plan, wire?: Wire): Provoke => onChannel({}, { plan, ...(wire && { wire }) });
const sent = (wire: Wire): Provoke => onChannel({}, { wire });

async function disabled(scene: Scene): Promise<number> {
  const id = await serve(scene);
  await scene.site.as(OPERATOR).channel.setStatus({ id, status: 2 });
  return id;
}

/** The key of a token that may use 1 of the measure, ever. */
async function budgeted(scene: Scene, measure: 'units' | 'calls'): Promise<string> {
  await serve(scene);
  const { id, key } = await scene.site.addToken();
  const subject = { subject: 'token', subject_id: String(id) } as const;
  await scene.site
    .as(OPERATOR)
    .budget.create({ ...subject, measure, limit_amount: 1, period: 'total' });
  return key;
}

const ROWS: Readonly<Record<string, Provoke>> = {
  '401 invalid_api_key': async () => ({ key: 'sk-unknown' }),
  '402 insufficient_quota': withToken({ remain_quota: 0 }),
  '403 user_banned': ofUser({}, ({ site }, id) =>
    site.as(OPERATOR).user.manage({ id, action: 'disable' }),
  ),
  '403 channel_pick_denied': async ({ site }) => ({ key: `${site.token.key}-1` }),
  '429 rate_limit_exceeded': async (scene) => {
    await serve(scene);
    const { key } = await scene.site.addToken({
      rate_limit_enabled: true,
      rate_limit_period: 600,
      rate_limit_count: 1,
    });
    await scene.site.call({ key, body: chatWire({ model: scene.model }).body });
    return { key };
  },
  '403 address_denied': withToken({ allow_ips: '192.0.2.1' }),
  '413 request_too_large': sent(chatWire({ user: 'x'.repeat(2 * 1024 * 1024) })),
  '415 unsupported_content_encoding': sent({ headers: { 'content-encoding': 'compress' } }),
  '400 invalid_content_encoding': sent({ headers: { 'content-encoding': 'gzip' } }),
  '400 invalid_request': sent({ body: '' }),
  '400 invalid_json': sent({ body: '[1]' }),
  '400 invalid_form': sent({ path: '/v1/audio/transcriptions', body: '{}' }),
  '400 missing_required_parameter': sent({ path: '/v1/chat/completions', body: '{}' }),
  '400 access_token_not_supported': sent({ ...chatWire(), path: '/pg/chat/completions' }),
  '400 invalid_value': sent(chatWire({ messages: 'Hello.' })),
  '403 token_group_denied': async (scene) => {
    await serve(scene);
    const { key } = await scene.site.addToken({ group: 'vip' });
    const labels = scene.site.ctx.options().get('UserUsableGroups');
    await scene.site.option('UserUsableGroups', { default: 'default' });
    return { key, end: () => scene.site.option('UserUsableGroups', labels).then(() => undefined) };
  },
  '403 group_retired': async (scene) => {
    await serve(scene);
    const ratios = scene.site.ctx.options().get('GroupRatio');
    const owner = await scene.site.addUser({ group: 'svip' });
    const { key } = await scene.site.addToken({ owner });
    const { id } = owner;
    // The options refuse to remove a group that has members.
    await scene.site.ctx.db('users').where({ id }).update({ group: 'gone' });
    expect(ratios).not.toHaveProperty('gone');
    return { key };
  },
  '403 model_not_allowed': withToken({ model_limits_enabled: true, model_limits: 'gpt-4o' }),
  '400 sensitive_words_detected': sent(
    chatWire({ messages: [{ role: 'user', content: 'forbidden fruit' }] }),
  ),
  '400 channel_id_invalid': naming(async () => '999999'),
  '403 channel_disabled': naming(disabled),
  '404 model_not_found': async () => ({}),
  '503 upstream_unavailable': async (scene) => {
    await disabled(scene);
    return {};
  },
  '400 endpoint_not_supported': onChannel(
    { type: 14 },
    { wire: { path: '/v1/embeddings', body: '{"model":"HERE","input":"Hello."}' } },
  ),
  '400 provider_retired': onChannel({ type: 11 }, { wire: chatWire() }),
  '404 not_found': sent({ path: '/v1/responses/resp_none', method: 'GET' }),
  '400 previous_response_not_found': sent({
    path: '/v1/responses',
    body: '{"model":"HERE","input":"Hello.","previous_response_id":"resp_none"}',
  }),
  '400 unsupported_parameter': onChannel(
    { type: 24 },
    { wire: { path: '/v1/embeddings', body: '{"model":"HERE","input":[1,2,3]}' } },
  ),
  '400 fetch_refused': onChannel({ type: 24 }, { wire: chatWire(picture) }),
  '400 context_length_exceeded': onChannel({ max_input_tokens: 1 }),
  '429 upstream_saturated': async (scene) => {
    await serve(scene, { setting: '{"max_concurrency":1}' });
    scene.site.upstream.script('hold:2');
    const messages = [{ role: 'user', content: 'Hello.' }];
    const body = { model: scene.model, messages, stream: true };
    const running = await scene.site.start({ body });
    return { end: () => running.leave() };
  },
  '400 model_mapped_error': stored((model) => ({
    model_mapping: JSON.stringify({ [model]: 'b', b: model }),
  })),
  '400 model_price_error': async (scene) => {
    const { site, model } = scene;
    await serve(scene, { models: `unpriced-${model}` });
    return {
      wire: chatWire({ model: `unpriced-${model}` }),
      key: site.token.key,
    };
  },
  '402 insufficient_user_quota': ofUser({ quota: 1 }),
  '402 pre_consume_token_quota_failed': withToken({ remain_quota: 1 }),
  '403 budget_exhausted': async (scene) => ({ key: await budgeted(scene, 'units') }),
  '429 budget_exhausted': async (scene) => {
    const key = await budgeted(scene, 'calls');
    scene.site.upstream.script('hold:2');
    const messages = [{ role: 'user', content: 'Hello.' }];
    const body = { model: scene.model, messages, stream: true };
    const running = await scene.site.start({ key, body });
    return { key, end: () => running.leave() };
  },
  '502 do_request_failed': broken({ fault: { ending: 'reset', after: 'head' } }),
  '502 channel_misconfigured': stored(() => ({ setting: JSON.stringify({ proxy: 'nonsense' }) })),
  '502 bad_response_body': broken({ nonAnswer: 'page' }),
  '502 empty_response': broken({ nonAnswer: 'object' }),
  '502 upstream_response_too_large': broken({ megabytes: 2 }),
  '502 upstream_stream_interrupted': broken(
    { fault: { ending: 'end', after: 1 } },
    chatWire({ stream: true }),
  ),
  '502 upstream_error': async (scene) => {
    await serve(scene);
    await scene.site.option('global.hide_upstream_error_enabled', true);
    scene.site.upstream.setDefault('status:502');
    const end = () => scene.site.option('global.hide_upstream_error_enabled', false);
    return { end: () => end().then(() => undefined) };
  },
  '504 upstream_timeout': onChannel(
    { setting: '{"answer_timeout_seconds":1}' },
    { plan: { delayMs: 20_000 } },
  ),
  '426 upgrade_required': sent({ path: '/v1/realtime?model=gpt-realtime', method: 'GET' }),
  '404 ': sent({ path: '/v1/nothing' }),
  '405 method_not_allowed': sent({ path: '/v1/chat/completions', method: 'GET' }),
  '410 endpoint_retired': sent({ path: '/v1/edits' }),
  '501 api_not_implemented': sent({ path: '/v1/files', method: 'GET' }),
  '403 browser_extension_blocked': sent({ headers: { origin: 'chrome-extension://abc' } }),
};

/** Errors that no SDK request can provoke. The status of each is covered by another row. */
const BEYOND: Readonly<Record<string, string>> = {
  '403 group_not_allowed': 'only a signed-in browser',
  '400 session_idle': 'an event of an open session',
  '400 session_expired': 'an event of an open session',
  '413 input_too_large': 'a call of the management API',
  '502 fetch_failed': 'no public address answers a test',
  '503 shutting_down': 'a process that ends: test/server/processes/drain.test.ts',
  '503 database_unreachable': 'a lost database: test/server/outages/database-lost.test.ts',
  '408 request_timeout': 'a slow upload: test/server/request/bodies.test.ts',
  '429 body_share_full': 'large bodies at once: test/server/request/bodies.test.ts',
  '503 body_budget_full': 'large bodies at once: test/server/request/bodies.test.ts',
  '503 database_not_writable': 'a full disk: test/server/outages/not-writable.test.ts',
  '503 limits_unavailable': 'a lost Redis: test/tools/chaos',
  '500 internal_error': 'a fault of the gateway',
};

function statusOf(row: string): number {
  return Number(row.split(' ')[0]);
}

const named = SHOWN_ROWS.map(({ status, code }) => `${status} ${code}`);
const ONE_PER_STATUS = Object.entries(ROWS).filter(
  ([row], at, rows) => rows.findIndex(([other]) => statusOf(other) === statusOf(row)) === at,
);
const modelOf = (row: string, at: number) => `${row.replaceAll(/\W/g, '-')}-${at}`;

let site: Site;
const PER_MODEL = Object.keys(ROWS).flatMap((row) => PROGRAMS.map((_, at) => modelOf(row, at)));

beforeAll(async () => {
  site = await aSite({
    config: { maxBodyMb: 1, maxAnswerMb: 1 },
    options: {
      RetryTimes: 0,
      ModelRatio: Object.fromEntries(PER_MODEL.map((model) => [model, 1])),
      SensitiveWords: 'forbidden fruit',
      CheckSensitiveEnabled: true,
      CheckSensitiveOnPromptEnabled: true,
      'global.block_browser_extension_enabled': true,
    },
  });
});
beforeEach(() => site.upstream.reset());
afterAll(() => site?.close());

test('every error in the catalogue is provoked or listed as impossible to provoke', () => {
  expect([...Object.keys(ROWS), ...Object.keys(BEYOND)].sort()).toEqual([...new Set(named)].sort());
});

interface ReceivedReply {
  readonly status: number;
  readonly code: string | undefined;
  readonly saysStop: boolean;
  readonly retryAfter: string | null;
}

/** Sends the request of `wire` and shortens the retry delay that the SDK receives. */
function wired(
  wire: Wire,
  { key, model }: { key: string; model: string },
  received: ReceivedReply[],
) {
  return async (input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(wire.headers ?? {})) headers.set(name, value);
    if (wire.path !== undefined) headers.set('authorization', `Bearer ${key}`);
    const method = wire.method ?? 'POST';
    const body = wire.body?.replaceAll('HERE', model) ?? init?.body ?? null;
    const answer = await fetch(wire.path === undefined ? url : new URL(wire.path, url), {
      method,
      headers,
      ...(method === 'POST' && { body }),
    });
    const text = await answer.text();
    received.push({
      status: answer.status,
      code: codeIn(text),
      saysStop: answer.headers.get('x-should-retry') === 'false',
      retryAfter: answer.headers.get('retry-after'),
    });
    const hurried = new Headers(answer.headers);
    for (const name of ['content-encoding', 'content-length']) hurried.delete(name);
    if (hurried.has('retry-after')) hurried.set('retry-after', '0');
    hurried.set('retry-after-ms', '1');
    return new Response(text, { status: answer.status, headers: hurried });
  };
}

/** Returns the error code of a response; Anthropic's format has none. */
function codeIn(text: string): string | undefined {
  const { error } = JSON.parse(text);
  return error.details?.[0]?.reason ?? (typeof error.code === 'string' ? error.code : undefined);
}

async function thrownBy(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'nothing',
    (error: Error) => error.constructor.name.replace(/^_/, ''),
  );
}

describe.each(PROGRAMS.map((program, at) => [program.name, program, at] as const))(
  '%s',
  (_name, program: Program, at) => {
    test.each(program.oncePerStatus ? ONE_PER_STATUS : Object.entries(ROWS))(
      '%s',
      async (row, provoke) => {
        const [, code] = row.split(' ');
        const model = modelOf(row, at);
        const scene = { site, model: row === '404 model_not_found' ? 'nowhere' : model };
        const { key = site.token.key, wire = {}, plan, end } = await provoke(scene);
        if (plan !== undefined) site.upstream.setDefault(plan);
        const received: ReceivedReply[] = [];
        const fetch = wired(wire, { key, model: scene.model }, received);
        const thrown = await thrownBy(
          program.call({ url: site.url, key, model: scene.model, fetch }),
        );
        await end?.();

        const shown = SHOWN_ROWS.filter((one) => `${one.status} ${one.code}` === row);
        const reportedStatus = statusOf(row);
        const [first] = received;
        expect(first?.status, JSON.stringify(received)).toBe(reportedStatus);
        if (first?.code !== undefined) expect(first.code).toBe(code);
        const answered = {
          status: reportedStatus,
          saysStop: shown.some(({ saysStop }) => saysStop),
        };
        expect(first?.saysStop).toBe(answered.saysStop);
        if (reportedStatus === 429 || reportedStatus === 503)
          expect(Number(first?.retryAfter)).toBeGreaterThan(0);
        expect({ thrown, requests: received.length }).toEqual({
          thrown: program.thrownAt(answered),
          requests: program.repeats(answered) ? MOST_REQUESTS : 1,
        });
      },
      30_000,
    );
  },
);
