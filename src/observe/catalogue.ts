/**
 * Every metric series of the gateway: the only list of them. docs/observability.md is generated
 * from it, and alert rules and the dashboard may name no others. Names never change; base units are
 * seconds, bytes and quota units. No label holds a user, a token or a value chosen by a client.
 */
import type { SeriesRow } from './series.ts';

const CALL_SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320];
const FIRST_TOKEN_SECONDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64];
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];
const GC_SECONDS = [0.001, 0.01, 0.1, 1, 2, 5];

const CHANNEL = ['channel', 'type'] as const;

interface Row<K extends SeriesRow['kind']> extends SeriesRow {
  readonly kind: K;
}

function counter(help: string, labels: readonly string[] = []): Row<'counter'> {
  return { kind: 'counter', help, labels };
}

/** The processes of a node have it in sum. */
function gauge(help: string, labels: readonly string[] = []): Row<'gauge'> {
  return { kind: 'gauge', help, labels };
}

/** A gauge of which a node has the highest value of its processes. */
function highest(help: string, labels: readonly string[] = []): Row<'gauge'> {
  return { kind: 'gauge', help, labels, across: 'max' };
}

/** @param buckets upper bounds, ascending, without +Inf */
function histogram(
  help: string,
  buckets: readonly number[],
  labels: readonly string[] = [],
): Row<'histogram'> {
  return { kind: 'histogram', help, labels, buckets };
}

const CALLS = {
  gateway_calls_total: counter(
    'Model calls by outcome: answered, upstream_broke, client_left, failed (no upstream answered), refused (by the gateway).',
    ['endpoint', 'dialect', 'outcome'],
  ),
  gateway_call_duration_seconds: histogram(
    'Time from the request to the end of its answer, including settlement; without refused calls.',
    CALL_SECONDS,
    ['endpoint', 'stream'],
  ),
  gateway_model_calls_total: counter(
    'Calls by requested model; models that no channel serves are "other".',
    ['model', 'outcome'],
  ),
  gateway_first_token_seconds: histogram(
    'Time from the request to the first content of the answer.',
    FIRST_TOKEN_SECONDS,
    ['model'],
  ),
  gateway_tokens_total: counter('Tokens of settled calls; the kinds do not overlap.', [
    'model',
    'kind',
  ]),
  gateway_reasoning_tokens_total: counter(
    'Reasoning tokens, which are a part of the output tokens.',
    ['model'],
  ),
  gateway_quota_charged_total: counter(
    'Charged quota units, without refunds (500000 are one US dollar).',
    ['model'],
  ),
  gateway_quota_over_allowed_total: counter(
    'Charged quota units above the limits of calls, because upstreams reported more usage than requested.',
    ['model'],
  ),
  gateway_calls_in_flight: gauge('Calls that are not settled yet, including streams.'),
  gateway_streams_in_flight: gauge('Running streamed answers.'),
  gateway_realtime_sessions: gauge('Open realtime sessions.'),
  gateway_refusals_total: counter(
    'Errors returned to clients, by API (model, management) and error code; codes of rate limits end in _limited.',
    ['api', 'code'],
  ),
  gateway_failed_calls_dropped_total: counter(
    'Failed calls without a record, because there were too many in a minute or the database was unreachable.',
  ),
};

const ROUTING = {
  gateway_attempts_total: counter(
    'Attempts by result: ok, or the cause of the failure: key, limit, request, server, timeout, network, answer.',
    [...CHANNEL, 'result'],
  ),
  gateway_attempt_duration_seconds: histogram(
    'Time until the complete answer of the upstream, or the first event of a stream.',
    CALL_SECONDS,
    CHANNEL,
  ),
  gateway_retries_total: counter('Attempts after the first attempt of a call.'),
  gateway_channel_quota_charged_total: counter(
    'Charged quota units of the calls that this channel answered, without refunds.',
    CHANNEL,
  ),
  gateway_channel_breaker_state: highest(
    'Circuit breakers of models of channels that failed recently: 0 closed, 1 half open (one call may probe it), 2 open.',
    [...CHANNEL, 'model'],
  ),
  gateway_keys_waiting: gauge('Pairs of provider key and model in cooldown.'),
  gateway_upstream_connections: gauge(
    'Open connections to upstreams, without those through a proxy: connected, idle, running requests, waiting requests.',
    ['state'],
  ),
};

const LEDGER = {
  gateway_commits_total: counter('Group commits of the ledger, by result: done, failed.', [
    'result',
  ]),
  gateway_commit_fallbacks_total: counter(
    'Commits that the fast script could not perform and that used the fallback, by reason: check_failed, repeat (both normal), busy, connection, error.',
    ['reason'],
  ),
  gateway_commit_duration_seconds: histogram('Duration of a group commit.', COMMIT_SECONDS),
  gateway_commit_operations: histogram(
    'Holds and settlements in one group commit.',
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  ),
  gateway_body_bytes: gauge('Bytes of request bodies in memory.'),
  gateway_body_budget_bytes: gauge(
    'Memory budget for request bodies (GATEWAY_BODY_BUDGET_MB); gateway_refusals_total counts refusals with the codes body_share_full and body_budget_full.',
  ),
  gateway_commit_queue_length: gauge('Holds and settlements that wait for the next group commit.'),
};

const SITE = {
  gateway_holds_open: highest('Open holds of the whole site.'),
  gateway_oldest_hold_seconds: highest('Age of the oldest open hold; 0 without one.'),
  gateway_channels: highest('Channels by status: enabled, disabled, auto_disabled.', ['status']),
  gateway_channel_balance: highest(
    'Last balance that the upstream reported, in its own currency.',
    [...CHANNEL, 'currency'],
  ),
  gateway_job_last_success_timestamp_seconds: highest(
    'Time of the last successful run of a background job on any node, as known to this process.',
    ['job'],
  ),
  gateway_job_last_outcome: highest(
    '1 for the outcome of the latest run: done, failed, timed_out, interrupted, running.',
    ['job', 'outcome'],
  ),
  gateway_job_interval_seconds: highest('Time between two runs; absent while the job is off.', [
    'job',
  ]),
  gateway_nodes: highest('Nodes of the site with a recent heartbeat.'),
};

const COMPONENTS = {
  gateway_database_up: gauge('1 while the database answers within two seconds.'),
  gateway_database_pool: gauge(
    'Connections of a pool (write, read): used, idle; pending are requests that wait for one.',
    ['pool', 'state'],
  ),
  gateway_redis_up: gauge('1 while Redis is connected; absent without Redis.'),
  gateway_redis_unanswered_total: counter(
    'Commands that Redis did not answer, so that limits were counted per process or calls refused; absent without Redis.',
  ),
  gateway_change_feed_lag_seconds: highest(
    'Time since changes of other processes were last read; half a second is normal.',
  ),
  gateway_job_runs_total: counter('Runs of background jobs that ended in this process.', [
    'job',
    'outcome',
  ]),
  gateway_job_duration_seconds: histogram(
    'Duration of runs of background jobs.',
    [0.1, 1, 10, 60, 300, 1800],
    ['job'],
  ),
  gateway_http_requests_total: counter('Requests of the management API, by route.', [
    'method',
    'route',
    'status',
  ]),
  gateway_http_request_duration_seconds: histogram(
    'Duration of requests of the management API.',
    REQUEST_SECONDS,
    ['method'],
  ),
  gateway_build_info: highest('1, with the version, the version of Node and the database.', [
    'version',
    'node_version',
    'database',
  ]),
  gateway_schema_version: highest('Applied migrations of the database.'),
};

/** Named as in other Node programs, so that existing dashboards work. */
const PROCESS = {
  process_cpu_user_seconds_total: counter('User CPU time.'),
  process_cpu_system_seconds_total: counter('System CPU time.'),
  process_cpu_seconds_total: counter('User and system CPU time.'),
  process_start_time_seconds: highest('Start time of the process (Unix time).'),
  process_resident_memory_bytes: gauge('Resident memory.'),
  process_open_fds: gauge('Open file descriptors (Linux).'),
  nodejs_eventloop_lag_p50_seconds: highest(
    'Delay of the event loop since the last scrape, median.',
  ),
  nodejs_eventloop_lag_p99_seconds: highest(
    'Delay of the event loop since the last scrape, 99th percentile.',
  ),
  nodejs_eventloop_lag_max_seconds: highest(
    'Longest delay of the event loop since the last scrape.',
  ),
  nodejs_eventloop_utilization_ratio: highest(
    'Share of the time since the last scrape in which the event loop was busy.',
  ),
  nodejs_heap_size_total_bytes: gauge('Reserved heap of V8.'),
  nodejs_heap_size_used_bytes: gauge('Heap in use.'),
  nodejs_external_memory_bytes: gauge('Memory of buffers outside the heap.'),
  nodejs_gc_duration_seconds: histogram(
    'Duration of garbage collections: minor, major, incremental, weakcb.',
    GC_SECONDS,
    ['kind'],
  ),
  nodejs_version_info: highest('1, with the version of Node.', ['version']),
};

/** In the order of the documentation page: a heading and its series. */
export const SERIES_GROUPS = [
  { title: 'Calls', series: CALLS },
  { title: 'Routing and upstreams', series: ROUTING },
  { title: 'Ledger', series: LEDGER },
  { title: 'The site, the same from every node', series: SITE },
  { title: 'Components of this process', series: COMPONENTS },
  { title: 'Process and Node', series: PROCESS },
] as const;

export const SERIES = { ...CALLS, ...ROUTING, ...LEDGER, ...SITE, ...COMPONENTS, ...PROCESS };

export type SeriesName = keyof typeof SERIES;
type NamesOf<K extends SeriesRow['kind']> = {
  [N in SeriesName]: (typeof SERIES)[N]['kind'] extends K ? N : never;
}[SeriesName];
export type HistogramName = NamesOf<'histogram'>;
export type NumberName = NamesOf<'counter' | 'gauge'>;
