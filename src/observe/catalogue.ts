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

const CALLS = {
  gateway_calls_total: {
    kind: 'counter',
    help: 'Model calls by outcome: answered, upstream_broke, client_left, failed (no upstream answered), refused (by the gateway).',
    labels: ['endpoint', 'dialect', 'outcome'],
  },
  gateway_call_duration_seconds: {
    kind: 'histogram',
    help: 'Time from the request to the end of its answer, including settlement; without refused calls.',
    labels: ['endpoint', 'stream'],
    buckets: CALL_SECONDS,
  },
  gateway_model_calls_total: {
    kind: 'counter',
    help: 'Calls by requested model; models that no channel serves are "other".',
    labels: ['model', 'outcome'],
  },
  gateway_first_token_seconds: {
    kind: 'histogram',
    help: 'Time from the request to the first content of the answer.',
    labels: ['model'],
    buckets: FIRST_TOKEN_SECONDS,
  },
  gateway_tokens_total: {
    kind: 'counter',
    help: 'Tokens of settled calls; the kinds do not overlap.',
    labels: ['model', 'kind'],
  },
  gateway_reasoning_tokens_total: {
    kind: 'counter',
    help: 'Reasoning tokens, which are a part of the output tokens.',
    labels: ['model'],
  },
  gateway_quota_charged_total: {
    kind: 'counter',
    help: 'Charged quota units, without refunds (500000 are one US dollar).',
    labels: ['model'],
  },
  gateway_quota_over_allowed_total: {
    kind: 'counter',
    help: 'Charged quota units above the limits of calls, because upstreams reported more usage than requested.',
    labels: ['model'],
  },
  gateway_calls_in_flight: {
    kind: 'gauge',
    help: 'Calls that are not settled yet, including streams.',
  },
  gateway_streams_in_flight: { kind: 'gauge', help: 'Running streamed answers.' },
  gateway_realtime_sessions: { kind: 'gauge', help: 'Open realtime sessions.' },
  gateway_refusals_total: {
    kind: 'counter',
    help: 'Errors returned to clients, by API (model, management) and error code; codes of rate limits end in _limited.',
    labels: ['api', 'code'],
  },
  gateway_failed_calls_dropped_total: {
    kind: 'counter',
    help: 'Failed calls without a record, because there were too many in a minute or the database was unreachable.',
  },
} as const satisfies Record<string, SeriesRow>;

const ROUTING = {
  gateway_attempts_total: {
    kind: 'counter',
    help: 'Attempts by result: ok, or the cause of the failure: key, limit, request, server, timeout, network, answer.',
    labels: [...CHANNEL, 'result'],
  },
  gateway_attempt_duration_seconds: {
    kind: 'histogram',
    help: 'Time until the complete answer of the upstream, or the first event of a stream.',
    labels: CHANNEL,
    buckets: CALL_SECONDS,
  },
  gateway_retries_total: {
    kind: 'counter',
    help: 'Attempts after the first attempt of a call.',
  },
  gateway_channel_quota_charged_total: {
    kind: 'counter',
    help: 'Charged quota units of the calls that this channel answered, without refunds.',
    labels: CHANNEL,
  },
  gateway_channel_breaker_state: {
    kind: 'gauge',
    help: 'Circuit breakers of models of channels that failed recently: 0 closed, 1 half open (one call may probe it), 2 open.',
    labels: [...CHANNEL, 'model'],
    across: 'max',
  },
  gateway_keys_waiting: {
    kind: 'gauge',
    help: 'Pairs of provider key and model in cooldown.',
  },
  gateway_upstream_connections: {
    kind: 'gauge',
    help: 'Open connections to upstreams, without those through a proxy: connected, idle, running requests, waiting requests.',
    labels: ['state'],
  },
} as const satisfies Record<string, SeriesRow>;

const LEDGER = {
  gateway_commits_total: {
    kind: 'counter',
    help: 'Group commits of the ledger, by result: done, failed.',
    labels: ['result'],
  },
  gateway_commit_fallbacks_total: {
    kind: 'counter',
    help: 'Commits that the fast script could not perform and that used the fallback, by reason: check_failed, repeat (both normal), busy, connection, error.',
    labels: ['reason'],
  },
  gateway_commit_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of a group commit.',
    buckets: COMMIT_SECONDS,
  },
  gateway_commit_operations: {
    kind: 'histogram',
    help: 'Holds and settlements in one group commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  },
  gateway_body_bytes: {
    kind: 'gauge',
    help: 'Bytes of request bodies in memory.',
  },
  gateway_body_budget_bytes: {
    kind: 'gauge',
    help: 'Memory budget for request bodies (GATEWAY_BODY_BUDGET_MB); gateway_refusals_total counts refusals with the codes body_share_full and body_budget_full.',
  },
  gateway_commit_queue_length: {
    kind: 'gauge',
    help: 'Holds and settlements that wait for the next group commit.',
  },
} as const satisfies Record<string, SeriesRow>;

const SITE = {
  gateway_holds_open: {
    kind: 'gauge',
    help: 'Open holds of the whole site.',
    across: 'max',
  },
  gateway_oldest_hold_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest open hold; 0 without one.',
    across: 'max',
  },
  gateway_channels: {
    kind: 'gauge',
    help: 'Channels by status: enabled, disabled, auto_disabled.',
    labels: ['status'],
    across: 'max',
  },
  gateway_channel_balance: {
    kind: 'gauge',
    help: 'Last balance that the upstream reported, in its own currency.',
    labels: [...CHANNEL, 'currency'],
    across: 'max',
  },
  gateway_job_last_success_timestamp_seconds: {
    kind: 'gauge',
    help: 'Time of the last successful run of a background job on any node, as known to this process.',
    labels: ['job'],
    across: 'max',
  },
  gateway_job_last_outcome: {
    kind: 'gauge',
    help: '1 for the outcome of the latest run: done, failed, timed_out, interrupted, running.',
    labels: ['job', 'outcome'],
    across: 'max',
  },
  gateway_job_interval_seconds: {
    kind: 'gauge',
    help: 'Time between two runs; absent while the job is off.',
    labels: ['job'],
    across: 'max',
  },
  gateway_nodes: {
    kind: 'gauge',
    help: 'Nodes of the site with a recent heartbeat.',
    across: 'max',
  },
} as const satisfies Record<string, SeriesRow>;

const COMPONENTS = {
  gateway_database_up: {
    kind: 'gauge',
    help: '1 while the database answers within two seconds.',
  },
  gateway_database_pool: {
    kind: 'gauge',
    help: 'Connections of a pool (write, read): used, idle; pending are requests that wait for one.',
    labels: ['pool', 'state'],
  },
  gateway_redis_up: {
    kind: 'gauge',
    help: '1 while Redis is connected; absent without Redis.',
  },
  gateway_redis_unanswered_total: {
    kind: 'counter',
    help: 'Commands that Redis did not answer, so that limits were counted per process or calls refused; absent without Redis.',
  },
  gateway_change_feed_lag_seconds: {
    kind: 'gauge',
    help: 'Time since changes of other processes were last read; half a second is normal.',
    across: 'max',
  },
  gateway_job_runs_total: {
    kind: 'counter',
    help: 'Runs of background jobs that ended in this process.',
    labels: ['job', 'outcome'],
  },
  gateway_job_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of runs of background jobs.',
    labels: ['job'],
    buckets: [0.1, 1, 10, 60, 300, 1800],
  },
  gateway_http_requests_total: {
    kind: 'counter',
    help: 'Requests of the management API, by route.',
    labels: ['method', 'route', 'status'],
  },
  gateway_http_request_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of requests of the management API.',
    labels: ['method'],
    buckets: REQUEST_SECONDS,
  },
  gateway_build_info: {
    kind: 'gauge',
    help: '1, with the version, the version of Node and the database.',
    labels: ['version', 'node_version', 'database'],
    across: 'max',
  },
  gateway_schema_version: {
    kind: 'gauge',
    help: 'Applied migrations of the database.',
    across: 'max',
  },
} as const satisfies Record<string, SeriesRow>;

/** Named as in other Node programs, so that existing dashboards work. */
const PROCESS = {
  process_cpu_user_seconds_total: { kind: 'counter', help: 'User CPU time.' },
  process_cpu_system_seconds_total: { kind: 'counter', help: 'System CPU time.' },
  process_cpu_seconds_total: { kind: 'counter', help: 'User and system CPU time.' },
  process_start_time_seconds: {
    kind: 'gauge',
    help: 'Start time of the process (Unix time).',
    across: 'max',
  },
  process_resident_memory_bytes: { kind: 'gauge', help: 'Resident memory.' },
  process_open_fds: { kind: 'gauge', help: 'Open file descriptors (Linux).' },
  nodejs_eventloop_lag_p50_seconds: {
    kind: 'gauge',
    help: 'Delay of the event loop since the last scrape, median.',
    across: 'max',
  },
  nodejs_eventloop_lag_p99_seconds: {
    kind: 'gauge',
    help: 'Delay of the event loop since the last scrape, 99th percentile.',
    across: 'max',
  },
  nodejs_eventloop_lag_max_seconds: {
    kind: 'gauge',
    help: 'Longest delay of the event loop since the last scrape.',
    across: 'max',
  },
  nodejs_eventloop_utilization_ratio: {
    kind: 'gauge',
    help: 'Share of the time since the last scrape in which the event loop was busy.',
    across: 'max',
  },
  nodejs_heap_size_total_bytes: { kind: 'gauge', help: 'Reserved heap of V8.' },
  nodejs_heap_size_used_bytes: { kind: 'gauge', help: 'Heap in use.' },
  nodejs_external_memory_bytes: { kind: 'gauge', help: 'Memory of buffers outside the heap.' },
  nodejs_gc_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of garbage collections: minor, major, incremental, weakcb.',
    labels: ['kind'],
    buckets: GC_SECONDS,
  },
  nodejs_version_info: {
    kind: 'gauge',
    help: '1, with the version of Node.',
    labels: ['version'],
    across: 'max',
  },
} as const satisfies Record<string, SeriesRow>;

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
