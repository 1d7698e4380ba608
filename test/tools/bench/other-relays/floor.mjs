/**
 * The least that a billed call costs in Node with the guarantees of the gateway. The key is looked up
 * by its hash, the request and the answer are parsed, the price is computed, and one ledger entry,
 * one log entry and the balances are committed together before the answer. With `--hold` the highest
 * cost is reserved first. It has no dialects, limits, retries, streams or metrics.
 *
 *   floor.mjs UPSTREAM FOLDER [--accounts 1000] [--hold] [--without fastify,sqlite,upstream]
 *
 * The key of account N is `sk-floor-N`. `--without` leaves a part out, to measure what it costs.
 */
import { createHash, randomUUID } from 'node:crypto';
import http from 'node:http';
import { parseArgs } from 'node:util';
import Fastify from 'fastify';
import { Pool } from 'undici';
import { openLedger, PRICE } from './floor-ledger.mjs';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    accounts: { type: 'string', default: '1' },
    hold: { type: 'boolean', default: false },
    without: { type: 'string', default: '' },
  },
});
const [upstream = '', folder = ''] = positionals;
const without = new Set(flags.without.split(','));
const MOST_OUTPUT = 16_384;
const accounts = Number(flags.accounts);
const submit = without.has('sqlite')
  ? () => Promise.resolve(true)
  : await openLedger(folder, { accounts, withHolds: flags.hold });

const callers = new Map();
for (let id = 1; id <= accounts; id += 1)
  callers.set(hashOf(`sk-floor-${id}`), { id, name: `account-${id}` });

function hashOf(key) {
  return createHash('sha256').update(key).digest('hex');
}

// Money is exact: ratios are whole thousandths, so a cost is a whole number of 10 ^ -9 units.

const thousandths = (ratio) => BigInt(Math.round(ratio * 1_000));
const [MODEL, COMPLETION, CACHE, GROUP] = Object.values(PRICE).map(thousandths);
const ONE = 1_000_000_000n;

function chargeOf({
  prompt_tokens: input,
  completion_tokens: output,
  prompt_tokens_details: more,
}) {
  const cached = more?.cached_tokens ?? 0;
  const weight =
    BigInt(input - cached) * 1_000n + BigInt(cached) * CACHE + BigInt(output) * COMPLETION;
  const exact = weight * MODEL * GROUP;
  const units = Math.max(1, Number((2n * exact + ONE) / (2n * ONE)));
  return { units, input, output, exact: `${exact / ONE}.${String(exact % ONE).padStart(9, '0')}` };
}

// The relay.

const pool = new Pool(upstream, { connections: 256, headersTimeout: 0, bodyTimeout: 0 });
const CANNED = Buffer.from(
  JSON.stringify({
    choices: [{ message: { role: 'assistant', content: 'x'.repeat(600) } }],
    usage: { prompt_tokens: 20, completion_tokens: 40 },
  }),
);

/** `send` gets the status and the body. */
async function relay({ authorization = '' }, body, send) {
  const startedAtMs = Date.now();
  const caller = callers.get(hashOf(authorization.slice('Bearer '.length)));
  if (caller === undefined) return send(401, Buffer.from('{}'));
  const { model, max_tokens: most = MOST_OUTPUT } = JSON.parse(body.toString());
  const highest = { prompt_tokens: Math.ceil(body.length / 4), completion_tokens: most };
  const held = flags.hold ? chargeOf(highest).units : 0;
  const call = { id: randomUUID(), caller, model, held, startedAtMs };
  if (flags.hold && !(await submit('hold', call))) return send(403, Buffer.from('{}'));
  const { status, bytes } = without.has('upstream')
    ? { status: 200, bytes: CANNED }
    : await answerOf(body).catch(() => ({ status: 502, bytes: Buffer.from('{}') }));
  const usage = status === 200 ? JSON.parse(bytes.toString()).usage : undefined;
  const charge = usage === undefined ? undefined : chargeOf(usage);
  await submit('end', { ...call, charge });
  return send(status, bytes);
}

function answerOf(body) {
  return new Promise((resolve, reject) => {
    const parts = [];
    let status = 0;
    const headers = { authorization: 'Bearer mock-key', 'content-type': 'application/json' };
    pool.dispatch(
      { method: 'POST', path: '/v1/chat/completions', headers, body },
      {
        onRequestStart() {},
        onResponseStart(_controller, code) {
          status = code;
        },
        onResponseData: (_controller, chunk) => parts.push(chunk),
        onResponseEnd: () => resolve({ status, bytes: Buffer.concat(parts) }),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}

process.stdout.write(`floor on ${await (without.has('fastify') ? plainServer() : fastify())}\n`);
process.once('SIGTERM', () => process.exit(0));

function fastify() {
  const app = Fastify({ bodyLimit: 64 * 1024 * 1024 });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/v1/chat/completions', ({ headers, body }, reply) => {
    const send = (status, bytes) => reply.code(status).type('application/json').send(bytes);
    void relay(headers, body, send);
  });
  return app.listen({ host: '127.0.0.1', port: 0 });
}

function plainServer() {
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      void relay(request.headers, Buffer.concat(parts), (status, bytes) => {
        const length = bytes.length;
        response.writeHead(status, {
          'content-type': 'application/json',
          'content-length': length,
        });
        response.end(bytes);
      });
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
}
