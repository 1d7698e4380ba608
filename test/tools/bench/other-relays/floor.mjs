/**
 * The least that a billed call costs in Node: Fastify, undici and one SQLite connection with
 * `synchronous=FULL`. It serves a folder that the gateway has set up, writes the rows that the
 * gateway writes (`floor-books.mjs`) and answers after their commit. With `--hold` it reserves the
 * highest cost before a call; without, it trusts every account. It has no retries, limits, dialects
 * or metrics. Arguments: folder, upstream key, `--hold`.
 */
import { createHmac, hkdfSync, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import Fastify from 'fastify';
import sqlite3 from 'sqlite3';
import { Pool } from 'undici';
import { openBooks, queryOf } from './floor-books.mjs';

const [, , folder = '', upstreamKey = '', flag] = process.argv;
const withHolds = flag === '--hold';
const MOST_OUTPUT = 16_384;
const POLL_MS = 500;
const file = path.join(folder, 'gateway.sqlite');
const read = queryOf(new sqlite3.Database(file, sqlite3.OPEN_READONLY));
const books = await openBooks(file, withHolds);

// Callers, channels and prices are kept in memory until another process announces a change.

const master = readFileSync(path.join(folder, 'secret.key'), 'utf8').trim();
const hashKey = Buffer.from(hkdfSync('sha256', master, 'ai-model-gateway', 'token-hash', 32));
const callers = new Map();
const pools = new Map();
let revisions = '';
let channels = new Map();
let ratios = {};

async function refresh() {
  const found = JSON.stringify(await read('select scope, revision from revisions'));
  if (found === revisions) return;
  const rows = await read(`select c.id, c.name, c.base_url, a.model, k.id as key_id
    from abilities a join channels c on c.id = a.channel_id
    join channel_keys k on k.channel_id = c.id where a.enabled = 1`);
  for (const { base_url } of rows)
    if (!pools.has(base_url)) pools.set(base_url, new Pool(base_url, { connections: 256 }));
  const options = await read(`select "key", value from options where "key" like '%Ratio'`);
  ratios = Object.fromEntries(options.map(({ key, value }) => [key, JSON.parse(value)]));
  channels = new Map(rows.map((row) => [row.model, row]));
  callers.clear();
  revisions = found;
}

async function callerOf(authorization = '') {
  const key = authorization.replace('Bearer sk-', '');
  const hash = createHmac('sha256', hashKey).update(key).digest('hex');
  const caller = callers.get(hash) ?? (await readCaller(hash));
  if (caller === undefined) return undefined;
  callers.set(hash, caller);
  const hasExpired = caller.expired_time !== -1 && caller.expired_time * 1000 < Date.now();
  return hasExpired ? undefined : caller;
}

async function readCaller(hash) {
  const [caller] = await read(
    `select t.id as token_id, t.name as token_name, t.expired_time, u.id as user_id, u.username,
      u."group" from tokens t join users u on u.id = t.user_id where t.key_hash = ?
      and t.status = 1 and u.status = 1 and t.deleted_at is null and u.deleted_at is null`,
    [hash],
  );
  return caller;
}

// Money is exact: ratios are whole millionths, so a cost is a whole number of 10 ^ -18 units.

const ONE = 10n ** 18n;
const millionths = (ratio) => BigInt(Math.round(ratio * 1_000_000));

function priceOf(model, group) {
  const ratio = ratios.ModelRatio?.[model];
  if (ratio === undefined) return undefined;
  return {
    model: ratio,
    completion: ratios.CompletionRatio?.[model] ?? 1,
    cache: ratios.CacheRatio?.[model] ?? 0.5,
    cacheCreation: ratios.CreateCacheRatio?.[model] ?? 1.25,
    group: ratios.GroupRatio?.[group] ?? 1,
  };
}

function costOf(price, usage) {
  const weight =
    BigInt(usage.input - usage.cached) * 1_000_000n +
    BigInt(usage.cached) * millionths(price.cache) +
    BigInt(usage.output) * millionths(price.completion);
  const exact = weight * millionths(price.model) * millionths(price.group);
  const rounded = Number((2n * exact + ONE) / (2n * ONE));
  const fraction = String(exact % ONE)
    .padStart(18, '0')
    .replace(/0+$/, '');
  const exactUnits = fraction === '' ? String(exact / ONE) : `${exact / ONE}.${fraction}`;
  return { usage, units: weight > 0n ? Math.max(1, rounded) : 0, exactUnits };
}

function usageOf({ prompt_tokens, completion_tokens, prompt_tokens_details: details }) {
  const cached = details?.cached_tokens ?? 0;
  return { input: prompt_tokens, cached, output: completion_tokens, source: 'upstream' };
}

function estimateOf(body, outputTokens) {
  const input = Math.ceil(body.length / 4);
  return { input, cached: 0, output: Math.ceil(outputTokens), source: 'estimated' };
}

async function relay({ headers, body }, reply) {
  const startedAtMs = Date.now();
  const caller = await callerOf(headers.authorization);
  if (caller === undefined) return refuse(reply, 401, 'The key is not valid.');
  const intent = JSON.parse(body.toString());
  const { model, stream: isStream = false, max_tokens: most = MOST_OUTPUT } = intent;
  const channel = channels.get(model);
  const price = priceOf(model, caller.group);
  if (!channel || !price) return refuse(reply, 404, 'The model does not exist.');
  const held = withHolds ? costOf(price, estimateOf(body, most)).units : 0;
  const id = randomUUID();
  const times = { startedAtMs, firstAtMs: startedAtMs };
  const call = { id, caller, channel, price, model, isStream, held, ...times };
  if (withHolds && !(await books.hold(call))) return refuse(reply, 403, 'The quota is too low.');
  return isStream ? relayStream(call, body, reply) : relayPlain(call, body, reply);
}

function refuse(reply, status, message) {
  return reply.code(status).send({ error: { message } });
}

async function relayPlain(call, body, reply) {
  try {
    const { status, type, bytes } = await answerOf(call, body);
    const isGood = status === 200;
    const usage = isGood ? usageOf(JSON.parse(bytes.toString()).usage) : undefined;
    await books.end(call, isGood ? costOf(call.price, usage) : undefined);
    return reply
      .code(status)
      .headers({ 'content-type': type, 'x-request-id': call.id })
      .send(bytes);
  } catch {
    await books.end(call, undefined);
    return refuse(reply, 502, 'The upstream did not answer.');
  }
}

function dispatch({ channel }, body, handler) {
  const headers = { authorization: `Bearer ${upstreamKey}`, 'content-type': 'application/json' };
  const request = { method: 'POST', path: '/v1/chat/completions', headers, body };
  pools.get(channel.base_url).dispatch(request, { onRequestStart() {}, ...handler });
}

function answerOf(call, body) {
  return new Promise((resolve, reject) => {
    const parts = [];
    let head;
    dispatch(call, body, {
      onResponseStart(_controller, status, headers) {
        call.firstAtMs = Date.now();
        head = { status, type: headers['content-type'] };
      },
      onResponseData: (_controller, chunk) => parts.push(chunk),
      onResponseEnd: () => resolve({ ...head, bytes: Buffer.concat(parts) }),
      onResponseError: (_controller, error) => reject(error),
    });
  });
}

/** Parses every event, forwards those of a packet together, and `[DONE]` after the commit. */
function relayStream(call, body, reply) {
  reply.hijack();
  const { raw: response } = reply;
  const decoder = new StringDecoder('utf8');
  let status = 0;
  let rest = '';
  let last = '';
  let chars = 0;
  let usage;
  const note = (event) => {
    if (!event.startsWith('data: {')) return;
    const { choices, usage: reported } = JSON.parse(event.slice(6));
    if (reported) usage = usageOf(reported);
    chars += choices?.[0]?.delta?.content?.length ?? 0;
  };
  const end = () => {
    const isGood = status === 200;
    const spent = usage ?? estimateOf(body, chars / 4);
    return books.end(call, isGood ? costOf(call.price, spent) : undefined);
  };
  dispatch(call, body, {
    onRequestStart(controller) {
      response.once('close', () => {
        if (!response.writableEnded) controller.abort(new Error('the client left'));
      });
    },
    onResponseStart(_controller, code, headers) {
      call.firstAtMs = Date.now();
      status = code;
      const type = headers['content-type'];
      response.writeHead(code, { 'content-type': type, 'x-request-id': call.id });
    },
    onResponseData(controller, chunk) {
      const events = (rest + decoder.write(chunk)).split('\n\n');
      rest = events.pop();
      if (events.at(-1) === 'data: [DONE]') last = `${events.pop()}\n\n`;
      for (const event of events) note(event);
      if (events.length === 0 || response.write(`${events.join('\n\n')}\n\n`)) return;
      controller.pause();
      response.once('drain', () => controller.resume());
    },
    onResponseEnd: () =>
      end().then(
        () => response.end(last + rest),
        () => response.destroy(),
      ),
    onResponseError: () => end().finally(() => response.destroy()),
  });
}

await refresh();
setInterval(() => void refresh(), POLL_MS).unref();
const app = Fastify({ bodyLimit: 64 * 1024 * 1024 });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
app.post('/v1/chat/completions', relay);
process.stdout.write(`floor on ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.once('SIGTERM', () => process.exit(0));
