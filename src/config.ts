/**
 * Settings that take effect only after a restart. `boot.ts` reads them once from flags, environment
 * and a `.env` file, in that order of precedence; settings that administrators change at run time
 * are options.
 */
import { availableParallelism, homedir } from 'node:os';
import path from 'node:path';
import * as z from 'zod/mini';
import { issueMessage, parseProblem, problemMessage } from './api/input-problem.ts';
import { reasonParams } from './domain/errors/error-reasons.ts';
import { AppError } from './domain/errors/errors.ts';

const Seconds = z.pipe(
  z.coerce.number().check(z.nonnegative()),
  z.transform((seconds: number) => Math.round(seconds * 1000)),
);
const Flag = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false', '1', '0', ''])], problemMessage('not_bool')),
  z.transform((value) => value === true || value === 'true' || value === '1'),
);
const WholeNumber = z.coerce.number().check(z.int(), z.nonnegative());
const MAX_WORKERS = 256;
/** `auto` means one worker per core available to this process. */
const Workers = z
  .pipe(
    z.union([z.string(), z.number()]),
    z.transform((given) => (given === 'auto' ? availableParallelism() : Number(given))),
  )
  .check(
    z.refine(
      (count) => Number.isInteger(count) && count >= 1 && count <= MAX_WORKERS,
      problemMessage('not_worker_count', { most: MAX_WORKERS }),
    ),
  );
/** A pool of one connection could deadlock: a transaction would wait for its own connection. */
const PoolSize = z.coerce.number().check(z.int(), z.minimum(2), z.maximum(1_000));
const Text = z.string();
const Port = z.coerce.number().check(z.int(), z.minimum(0), z.maximum(65535));
const Milliseconds = z.coerce.number().check(z.int(), z.positive());
/** An IANA name, also in TZ's form `:Europe/Berlin`; empty means the machine's time zone. */
const TimeZone = z
  .pipe(
    z.string(),
    z.transform((name: string) => name.replace(/^:/, '')),
  )
  .check(z.refine(isTimeZone, problemMessage('not_time_zone')));
/** Empty means no token; any other value must be long enough to resist guessing. */
const Token = z
  .string()
  .check(
    z.refine(
      (text) => text === '' || text.length >= 16,
      problemMessage('too_short', { least: 16 }),
    ),
  );
const Exporter = z.enum(['otlp', 'none']);
/** The values of OpenTelemetry's OTEL_TRACES_SAMPLER. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
/** A web address; the trailing slash is removed. */
const Address = z.pipe(
  z.string().check(z.regex(/^https?:\/\/[^\s/]\S*$/i, problemMessage('not_web_url'))),
  z.transform((address) => address.replace(/\/+$/, '')),
);

const Shape = z.object({
  host: z._default(Text, '127.0.0.1'),
  port: z._default(Port, 3000),
  workers: z._default(Workers, 1),
  dataDir: z._default(Text, ''),
  database: z._default(Text, ''),
  databaseWaitMs: z._default(Seconds, 60_000),
  databasePool: z._default(PoolSize, 10),
  logDatabase: z._default(Text, ''),
  redisUrl: z._default(Text, ''),
  redisLoss: z._default(z.enum(['count', 'refuse']), 'count'),
  secretKey: z._default(Text, ''),
  oldSecretKey: z._default(Text, ''),
  logLevel: z._default(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']), 'info'),
  logDir: z._default(Text, ''),
  accessLog: z._default(Flag, false),
  metricsPort: z.optional(Port),
  metricsHost: z._default(Text, '127.0.0.1'),
  metricsToken: z._default(Token, ''),
  otlpEndpoint: z.optional(Address),
  otlpTracesEndpoint: z.optional(Address),
  otlpMetricsEndpoint: z.optional(Address),
  otlpHeaders: z._default(Text, ''),
  otlpProtocol: z._default(z.enum(['http/json', 'http/protobuf']), 'http/json'),
  otlpTimeoutMs: z._default(Milliseconds, 10_000),
  tracesExporter: z._default(Exporter, 'otlp'),
  metricsExporter: z._default(Exporter, 'otlp'),
  tracesSampler: z._default(z.enum(SAMPLERS), 'parentbased_always_on'),
  tracesSamplerArg: z._default(z.coerce.number().check(z.minimum(0), z.maximum(1)), 1),
  traceDelayMs: z._default(Milliseconds, 5_000),
  metricExportMs: z._default(Milliseconds, 60_000),
  serviceName: z._default(Text, ''),
  resourceAttributes: z._default(Text, ''),
  telemetryDisabled: z._default(Flag, false),
  web: z._default(Flag, true),
  webRoot: z._default(Text, ''),
  streamIdleTimeoutMs: z._default(Seconds, 60_000),
  relayTimeoutMs: z._default(Seconds, 900_000),
  connectTimeoutMs: z._default(Seconds, 10_000),
  clientGraceMs: z._default(Seconds, 2_000),
  drainLeadMs: z._default(Seconds, 0),
  drainTimeoutMs: z._default(Seconds, 30_000),
  requestTimeoutMs: z._default(Seconds, 300_000),
  realtimeIdleTimeoutMs: z._default(Seconds, 900_000),
  realtimeSessionMs: z._default(Seconds, 7_200_000),
  maxBodyMb: z._default(z.coerce.number().check(z.positive()), 64),
  bodyBudgetMb: z.optional(z.coerce.number().check(z.positive())),
  maxAnswerMb: z._default(z.coerce.number().check(z.positive()), 64),
  maxConnectionsPerUpstream: z._default(WholeNumber, 10_000),
  azureApiVersion: z._default(Text, '2024-10-21'),
  strictHolds: z._default(Flag, false),
  generateDefaultToken: z._default(Flag, false),
  channelTestMinutes: z._default(WholeNumber, 0),
  channelBalanceMinutes: z._default(WholeNumber, 0),
  taskPolling: z._default(Flag, true),
  apiRateLimitEnabled: z._default(Flag, true),
  apiRateLimit: z._default(WholeNumber, 180),
  apiRateWindowMs: z._default(Seconds, 180_000),
  webRateLimitEnabled: z._default(Flag, true),
  webRateLimit: z._default(WholeNumber, 60),
  webRateWindowMs: z._default(Seconds, 180_000),
  criticalRateLimitEnabled: z._default(Flag, true),
  criticalRateLimit: z._default(WholeNumber, 20),
  criticalRateWindowMs: z._default(Seconds, 1_200_000),
  timeZone: z._default(TimeZone, ''),
  trustedProxies: z._default(Text, 'loopback,linklocal,uniquelocal'),
  egressAllow: z._default(Text, ''),
  caFile: z._default(Text, ''),
  turnstileUrl: z._default(Text, 'https://challenges.cloudflare.com/turnstile/v0/siteverify'),
  googleTokenUrl: z._default(Address, 'https://oauth2.googleapis.com/token'),
  githubUrl: z._default(Address, 'https://github.com'),
  githubApiUrl: z._default(Address, 'https://api.github.com'),
  linuxdoUrl: z._default(Address, 'https://connect.linux.do'),
  allowPrivateIdentityHosts: z._default(Flag, false),
});

type Shape = z.output<typeof Shape>;

export interface Config extends Readonly<Omit<Shape, SealedKey>> {
  /** Connection strings may contain passwords: `SecretValue` prints as `[redacted]`. */
  readonly database: SecretValue;
  /** Name of the variable or flag that `database` was read from. */
  readonly databaseSource: string;
  /** Empty: the log is stored in `database`. */
  readonly logDatabase: SecretValue;
  readonly redisUrl: SecretValue;
  readonly secretKey: SecretValue;
  /** The previous secret key, set while the key is being changed. */
  readonly oldSecretKey: SecretValue;
  readonly metricsToken: SecretValue;
  readonly otlpHeaders: SecretValue;
}

type SealedKey =
  | 'secretKey'
  | 'oldSecretKey'
  | 'database'
  | 'logDatabase'
  | 'redisUrl'
  | 'metricsToken'
  | 'otlpHeaders';

/** Wraps a secret so that logs and `JSON.stringify` never reveal it; `.open()` returns it. */
export class SecretValue {
  readonly #value: string;
  constructor(value: string) {
    this.#value = value;
  }
  open(): string {
    return this.#value;
  }
  toString(): string {
    return this.#value === '' ? '' : '[redacted]';
  }
  toJSON(): string {
    return this.toString();
  }
}

/**
 * Environment variables per key; the first one that is set wins. Older names, used by compatible
 * gateways, still work.
 */
const ENVIRONMENT: Readonly<Record<keyof Shape, readonly string[]>> = {
  host: ['GATEWAY_HOST', 'HOST'],
  port: ['GATEWAY_PORT', 'PORT'],
  workers: ['GATEWAY_WORKERS'],
  dataDir: ['GATEWAY_DATA'],
  database: ['GATEWAY_DB', 'DATABASE_URL', 'SQL_DSN', 'SQLITE_PATH'],
  databaseWaitMs: ['GATEWAY_DB_WAIT'],
  databasePool: ['GATEWAY_DB_POOL'],
  logDatabase: ['GATEWAY_LOG_DB', 'LOG_SQL_DSN'],
  redisUrl: ['GATEWAY_REDIS', 'REDIS_URL', 'REDIS_CONN_STRING'],
  redisLoss: ['GATEWAY_REDIS_LOSS'],
  secretKey: ['GATEWAY_SECRET_KEY'],
  oldSecretKey: ['GATEWAY_SECRET_KEY_OLD'],
  logLevel: ['GATEWAY_LOG_LEVEL', 'LOG_LEVEL'],
  logDir: ['GATEWAY_LOG_DIR'],
  accessLog: ['GATEWAY_ACCESS_LOG'],
  metricsPort: ['GATEWAY_METRICS_PORT'],
  metricsHost: ['GATEWAY_METRICS_HOST'],
  metricsToken: ['GATEWAY_METRICS_TOKEN'],
  otlpEndpoint: ['GATEWAY_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'],
  otlpTracesEndpoint: ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  otlpMetricsEndpoint: ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'],
  otlpHeaders: ['OTEL_EXPORTER_OTLP_HEADERS'],
  otlpProtocol: ['OTEL_EXPORTER_OTLP_PROTOCOL'],
  otlpTimeoutMs: ['OTEL_EXPORTER_OTLP_TIMEOUT'],
  tracesExporter: ['OTEL_TRACES_EXPORTER'],
  metricsExporter: ['OTEL_METRICS_EXPORTER'],
  tracesSampler: ['OTEL_TRACES_SAMPLER'],
  tracesSamplerArg: ['OTEL_TRACES_SAMPLER_ARG'],
  traceDelayMs: ['OTEL_BSP_SCHEDULE_DELAY'],
  metricExportMs: ['OTEL_METRIC_EXPORT_INTERVAL'],
  serviceName: ['OTEL_SERVICE_NAME'],
  resourceAttributes: ['OTEL_RESOURCE_ATTRIBUTES'],
  telemetryDisabled: ['OTEL_SDK_DISABLED'],
  web: ['GATEWAY_WEB'],
  webRoot: ['GATEWAY_WEB_ROOT'],
  streamIdleTimeoutMs: ['GATEWAY_STREAM_TIMEOUT', 'STREAMING_TIMEOUT'],
  relayTimeoutMs: ['GATEWAY_RELAY_TIMEOUT', 'RELAY_TIMEOUT'],
  connectTimeoutMs: ['GATEWAY_CONNECT_TIMEOUT'],
  clientGraceMs: ['GATEWAY_CLIENT_GRACE'],
  drainLeadMs: ['GATEWAY_DRAIN_LEAD'],
  drainTimeoutMs: ['GATEWAY_DRAIN_TIMEOUT'],
  requestTimeoutMs: ['GATEWAY_REQUEST_TIMEOUT'],
  realtimeIdleTimeoutMs: ['GATEWAY_REALTIME_IDLE_TIMEOUT'],
  realtimeSessionMs: ['GATEWAY_REALTIME_SESSION'],
  maxBodyMb: ['GATEWAY_MAX_BODY_MB'],
  bodyBudgetMb: ['GATEWAY_BODY_BUDGET_MB'],
  maxAnswerMb: ['GATEWAY_MAX_ANSWER_MB'],
  maxConnectionsPerUpstream: ['GATEWAY_MAX_CONNECTIONS'],
  azureApiVersion: ['GATEWAY_AZURE_API_VERSION', 'AZURE_DEFAULT_API_VERSION'],
  strictHolds: ['GATEWAY_STRICT_HOLDS'],
  generateDefaultToken: ['GATEWAY_DEFAULT_TOKEN', 'GENERATE_DEFAULT_TOKEN'],
  channelTestMinutes: ['GATEWAY_CHANNEL_TEST_FREQUENCY', 'CHANNEL_TEST_FREQUENCY'],
  channelBalanceMinutes: ['GATEWAY_CHANNEL_UPDATE_FREQUENCY', 'CHANNEL_UPDATE_FREQUENCY'],
  taskPolling: ['GATEWAY_TASK_POLLING', 'UPDATE_TASK'],
  apiRateLimitEnabled: ['GATEWAY_API_RATE_LIMIT_ENABLED', 'GLOBAL_API_RATE_LIMIT_ENABLE'],
  apiRateLimit: ['GATEWAY_API_RATE_LIMIT', 'GLOBAL_API_RATE_LIMIT'],
  apiRateWindowMs: ['GATEWAY_API_RATE_WINDOW', 'GLOBAL_API_RATE_LIMIT_DURATION'],
  webRateLimitEnabled: ['GATEWAY_WEB_RATE_LIMIT_ENABLED', 'GLOBAL_WEB_RATE_LIMIT_ENABLE'],
  webRateLimit: ['GATEWAY_WEB_RATE_LIMIT', 'GLOBAL_WEB_RATE_LIMIT'],
  webRateWindowMs: ['GATEWAY_WEB_RATE_WINDOW', 'GLOBAL_WEB_RATE_LIMIT_DURATION'],
  criticalRateLimitEnabled: ['GATEWAY_CRITICAL_RATE_LIMIT_ENABLED'],
  criticalRateLimit: ['GATEWAY_CRITICAL_RATE_LIMIT'],
  criticalRateWindowMs: ['GATEWAY_CRITICAL_RATE_WINDOW'],
  timeZone: ['GATEWAY_TIME_ZONE', 'TZ'],
  trustedProxies: ['GATEWAY_TRUSTED_PROXIES'],
  egressAllow: ['GATEWAY_EGRESS_ALLOW'],
  caFile: ['GATEWAY_CA_FILE'],
  turnstileUrl: ['GATEWAY_TURNSTILE_URL'],
  googleTokenUrl: ['GATEWAY_GOOGLE_TOKEN_URL'],
  githubUrl: ['GATEWAY_GITHUB_URL'],
  githubApiUrl: ['GATEWAY_GITHUB_API_URL'],
  linuxdoUrl: ['GATEWAY_LINUXDO_URL'],
  allowPrivateIdentityHosts: ['GATEWAY_ALLOW_PRIVATE_IDENTITY_HOSTS'],
};

/** The flags whose names differ from their keys. */
const FLAGS: Readonly<Partial<Record<keyof Shape, string>>> = {
  dataDir: '--data',
  database: '--db',
  logDir: '--log-dir',
};

/** All environment variables that are read, including older names. */
export const CONFIG_VARIABLES: readonly string[] = Object.values(ENVIRONMENT).flat();

export type ConfigFlags = Readonly<
  Partial<Record<keyof Shape, string | number | boolean | undefined>>
>;
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Builds the frozen configuration.
 * @throws AppError `config_invalid` naming the key and the flag or variable that the value came from.
 */
export function loadConfig(
  flags: ConfigFlags,
  env: EnvironmentVariables,
  file: EnvironmentVariables = {},
): Config {
  const given: Record<string, unknown> = {};
  const nameOf = (key: keyof Shape) =>
    ENVIRONMENT[key].find((candidate) => (env[candidate] ?? file[candidate] ?? '') !== '');
  const sourceOf = (key: keyof Shape) =>
    flags[key] === undefined ? (nameOf(key) ?? '') : (FLAGS[key] ?? `--${key}`);
  for (const key of Object.keys(ENVIRONMENT)) {
    const fromFlag = flags[key as keyof Shape]; // the table's own keys
    const name = nameOf(key as keyof Shape);
    const value = fromFlag ?? (name === undefined ? undefined : env[name] || file[name]);
    if (value !== undefined) given[key] = value;
  }
  const parsed = z.safeParse(Shape, given, { error: issueMessage });
  if (!parsed.success) throw invalidSetting(parsed.error, sourceOf);
  const shape = parsed.data;
  const dataDir = shape.dataDir === '' ? defaultDataDir(env) : path.resolve(shape.dataDir);
  return Object.freeze({
    ...shape,
    dataDir,
    timeZone: shape.timeZone || machineTimeZone(),
    database: new SecretValue(databaseOf(shape.database, dataDir)),
    databaseSource: sourceOf('database'),
    logDatabase: new SecretValue(shape.logDatabase),
    redisUrl: new SecretValue(shape.redisUrl),
    secretKey: new SecretValue(shape.secretKey),
    oldSecretKey: new SecretValue(shape.oldSecretKey),
    metricsToken: new SecretValue(shape.metricsToken),
    otlpHeaders: new SecretValue(shape.otlpHeaders),
  });
}

function invalidSetting(error: z.core.$ZodError, sourceOf: (key: keyof Shape) => string): AppError {
  const issue = error.issues[0];
  const key = String(issue?.path[0] ?? '') as keyof Shape; // the schema's own keys
  const { reason, params } = parseProblem(issue?.message ?? '');
  const named = reasonParams(reason, { ...params, key, names: sourceOf(key) });
  return new AppError('config_invalid', named, { param: key });
}

function isTimeZone(name: string): boolean {
  try {
    return name === '' || new Intl.DateTimeFormat('en', { timeZone: name }) instanceof Object;
  } catch {
    // Intl throws for an unknown name.
    return false;
  }
}

function machineTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** A per-user folder, so that commands find the same site from any working directory. */
function defaultDataDir(env: EnvironmentVariables): string {
  const base = env.XDG_DATA_HOME || path.join(homedir(), '.local', 'share');
  return path.join(base, 'ai-model-gateway');
}

function databaseOf(dsn: string, dataDir: string): string {
  return dsn === '' || dsn.startsWith('local') ? path.join(dataDir, 'gateway.sqlite') : dsn;
}
