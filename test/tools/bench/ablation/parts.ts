/** The parts of a call whose cost `npm run bench -- --ablation` measures by leaving each one out. */

/** One function of the sources, and what a variant has in its place. */
export interface Stub {
  /** Relative to the project. */
  readonly file: string;
  readonly name: string;
  /** An expression; it may refer to the function itself as `whole` and to names of its file. */
  readonly stub: string;
}

export interface Part {
  readonly title: string;
  readonly stubs: readonly Stub[];
}

/** Computed for the first call alone. */
const ONCE = '(() => { let first; return (...given) => (first ??= whole(...given)); })()';
const NOTHING = '() => undefined';

/** Every call has the same route, but its own values. */
const SAME_ROUTE = `(() => {
  let first;
  return (relay, call, choice, permit) => {
    first ??= whole(relay, call, choice, permit);
    return { ...call, route: { ...first.route, channelPermit: permit } };
  };
})()`;

/** Every call has the same log entry, but for its id. */
const SAME_LOG_ENTRY = `(() => {
  let first;
  return (deps, call, charge) => {
    first ??= whole(deps, call, charge);
    return first.map((row) => ({ ...row, request_id: call.incoming.requestId }));
  };
})()`;

const PLAIN_JSON = `(raw) => {
  const source = raw.toString();
  return { raw, source, sent: JSON.parse(source) };
}`;

export const PARTS: readonly Part[] = [
  part('rate limits', ['src/relay/admission/rate-limits.ts', 'takeRateLimits', '() => UNLIMITED']),
  part(
    'caps of calls and tokens',
    ['src/relay/admission/caps.ts', 'takeCallerPermit', '(_relay, call) => call'],
    ['src/relay/admission/caps.ts', 'takeChannelPermit', NOTHING],
  ),
  part('sensitive words', [
    'src/relay/features/sensitive-words/sensitive-words.ts',
    'textsOf',
    '() => []',
  ]),
  part('reading the body', ['src/relay/body/read-body.ts', 'readJsonBody', PLAIN_JSON]),
  part(
    'choosing the channel',
    ['src/relay/routing/candidates.ts', 'candidatesFor', ONCE],
    ['src/relay/stages/pick-channel.ts', 'choose', ONCE],
  ),
  part('route: names, dialect, price', ['src/relay/stages/route.ts', 'routedTo', SAME_ROUTE]),
  part('highest cost and hold', ['src/relay/billing/call-need.ts', 'billableQuantity', NOTHING]),
  part('upstream request', ['src/relay/translate/upstream-request.ts', 'upstreamRequest', ONCE]),
  part('channel keys in answers', [
    'src/relay/http/redact-repeated-keys.ts',
    'bytesWithoutKeys',
    '(bytes) => bytes',
  ]),
  part(
    'attempt record and outcome',
    ['src/relay/failures/attempt-outcome.ts', 'recordSuccess', ONCE],
    ['src/relay/billing/settle.ts', 'recordOutcomes', NOTHING],
  ),
  part('usage', ['src/relay/billing/complete-usage.ts', 'billedFor', ONCE]),
  part('charge', ['src/domain/pricing/charge.ts', 'chargeOf', ONCE]),
  part('log entry', ['src/relay/billing/call-log-rows.ts', 'logRows', SAME_LOG_ENTRY]),
  part('metrics', ['src/observe/call-metrics.ts', 'callMetrics', '() => NO_OP_OBSERVER']),
  part('commit', ['src/store/ledger/settlement-batch.ts', 'settleBatch', 'async () => DONE']),
];

function part(title: string, ...stubs: readonly [string, string, string][]): Part {
  return { title, stubs: stubs.map(([file, name, stub]) => ({ file, name, stub })) };
}
