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
const LogLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']);
const Exporter = z.enum(['otlp', 'none']);
const Protocol = z.enum(['http/json', 'http/protobuf']);
const Share = z.coerce.number().check(z.minimum(0), z.maximum(1));
const Megabytes = z.coerce.number().check(z.positive());
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
const NoAddress = z.optional(Address);

interface Setting<Value> {
  readonly schema: z.ZodMiniType<Value>;
  readonly variables: readonly string[];
}

/**
 * The first of the environment variables that is set wins. Older names, used by compatible gateways,
 * still work.
 */
function setting<Value>(
  schema: z.ZodMiniType<Value>,
  fallback: NoInfer<Value>,
  ...variables: readonly string[]
): Setting<Value> {
  return { schema: z._default(schema, fallback as never), variables }; // z rejects undefined, which is optional here
}

const SETTINGS = {
  host: setting(Text, '127.0.0.1', 'GATEWAY_HOST', 'HOST'),
  port: setting(Port, 3000, 'GATEWAY_PORT', 'PORT'),
  workers: setting(Workers, 1, 'GATEWAY_WORKERS'),
  dataDir: setting(Text, '', 'GATEWAY_DATA'),
  database: setting(Text, '', 'GATEWAY_DB', 'DATABASE_URL', 'SQL_DSN', 'SQLITE_PATH'),
  databaseWaitMs: setting(Seconds, 60_000, 'GATEWAY_DB_WAIT'),
  databasePool: setting(PoolSize, 10, 'GATEWAY_DB_POOL'),
  /** Empty: the log is stored in `database`. */
  logDatabase: setting(Text, '', 'GATEWAY_LOG_DB', 'LOG_SQL_DSN'),
  redisUrl: setting(Text, '', 'GATEWAY_REDIS', 'REDIS_URL', 'REDIS_CONN_STRING'),
  redisLoss: setting(z.enum(['count', 'refuse']), 'count', 'GATEWAY_REDIS_LOSS'),
  secretKey: setting(Text, '', 'GATEWAY_SECRET_KEY'),
  /** The previous secret key, set while the key is being changed. */
  oldSecretKey: setting(Text, '', 'GATEWAY_SECRET_KEY_OLD'),
  logLevel: setting(LogLevel, 'info', 'GATEWAY_LOG_LEVEL', 'LOG_LEVEL'),
  logDir: setting(Text, '', 'GATEWAY_LOG_DIR'),
  accessLog: setting(Flag, false, 'GATEWAY_ACCESS_LOG'),
  metricsPort: setting(z.optional(Port), undefined, 'GATEWAY_METRICS_PORT'),
  metricsHost: setting(Text, '127.0.0.1', 'GATEWAY_METRICS_HOST'),
  metricsToken: setting(Token, '', 'GATEWAY_METRICS_TOKEN'),
  otlpEndpoint: setting(
    NoAddress,
    undefined,
    'GATEWAY_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ),
  otlpTracesEndpoint: setting(NoAddress, undefined, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'),
  otlpMetricsEndpoint: setting(NoAddress, undefined, 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT'),
  otlpHeaders: setting(Text, '', 'OTEL_EXPORTER_OTLP_HEADERS'),
  otlpProtocol: setting(Protocol, 'http/json', 'OTEL_EXPORTER_OTLP_PROTOCOL'),
  otlpTimeoutMs: setting(Milliseconds, 10_000, 'OTEL_EXPORTER_OTLP_TIMEOUT'),
  tracesExporter: setting(Exporter, 'otlp', 'OTEL_TRACES_EXPORTER'),
  metricsExporter: setting(Exporter, 'otlp', 'OTEL_METRICS_EXPORTER'),
  tracesSampler: setting(z.enum(SAMPLERS), 'parentbased_always_on', 'OTEL_TRACES_SAMPLER'),
  tracesSamplerArg: setting(Share, 1, 'OTEL_TRACES_SAMPLER_ARG'),
  traceDelayMs: setting(Milliseconds, 5_000, 'OTEL_BSP_SCHEDULE_DELAY'),
  metricExportMs: setting(Milliseconds, 60_000, 'OTEL_METRIC_EXPORT_INTERVAL'),
  serviceName: setting(Text, '', 'OTEL_SERVICE_NAME'),
  resourceAttributes: setting(Text, '', 'OTEL_RESOURCE_ATTRIBUTES'),
  telemetryDisabled: setting(Flag, false, 'OTEL_SDK_DISABLED'),
  web: setting(Flag, true, 'GATEWAY_WEB'),
  webRoot: setting(Text, '', 'GATEWAY_WEB_ROOT'),
  streamIdleTimeoutMs: setting(Seconds, 60_000, 'GATEWAY_STREAM_TIMEOUT', 'STREAMING_TIMEOUT'),
  relayTimeoutMs: setting(Seconds, 900_000, 'GATEWAY_RELAY_TIMEOUT', 'RELAY_TIMEOUT'),
  connectTimeoutMs: setting(Seconds, 10_000, 'GATEWAY_CONNECT_TIMEOUT'),
  clientGraceMs: setting(Seconds, 2_000, 'GATEWAY_CLIENT_GRACE'),
  drainLeadMs: setting(Seconds, 0, 'GATEWAY_DRAIN_LEAD'),
  drainTimeoutMs: setting(Seconds, 30_000, 'GATEWAY_DRAIN_TIMEOUT'),
  requestTimeoutMs: setting(Seconds, 300_000, 'GATEWAY_REQUEST_TIMEOUT'),
  realtimeIdleTimeoutMs: setting(Seconds, 900_000, 'GATEWAY_REALTIME_IDLE_TIMEOUT'),
  realtimeSessionMs: setting(Seconds, 7_200_000, 'GATEWAY_REALTIME_SESSION'),
  maxBodyMb: setting(Megabytes, 64, 'GATEWAY_MAX_BODY_MB'),
  bodyBudgetMb: setting(z.optional(Megabytes), undefined, 'GATEWAY_BODY_BUDGET_MB'),
  maxAnswerMb: setting(Megabytes, 64, 'GATEWAY_MAX_ANSWER_MB'),
  maxConnectionsPerUpstream: setting(WholeNumber, 10_000, 'GATEWAY_MAX_CONNECTIONS'),
  azureApiVersion: setting(
    Text,
    '2024-10-21',
    'GATEWAY_AZURE_API_VERSION',
    'AZURE_DEFAULT_API_VERSION',
  ),
  strictHolds: setting(Flag, false, 'GATEWAY_STRICT_HOLDS'),
  generateDefaultToken: setting(Flag, false, 'GATEWAY_DEFAULT_TOKEN', 'GENERATE_DEFAULT_TOKEN'),
  channelTestMinutes: setting(
    WholeNumber,
    0,
    'GATEWAY_CHANNEL_TEST_FREQUENCY',
    'CHANNEL_TEST_FREQUENCY',
  ),
  channelBalanceMinutes: setting(
    WholeNumber,
    0,
    'GATEWAY_CHANNEL_UPDATE_FREQUENCY',
    'CHANNEL_UPDATE_FREQUENCY',
  ),
  taskPolling: setting(Flag, true, 'GATEWAY_TASK_POLLING', 'UPDATE_TASK'),
  apiRateLimitEnabled: setting(
    Flag,
    true,
    'GATEWAY_API_RATE_LIMIT_ENABLED',
    'GLOBAL_API_RATE_LIMIT_ENABLE',
  ),
  apiRateLimit: setting(WholeNumber, 180, 'GATEWAY_API_RATE_LIMIT', 'GLOBAL_API_RATE_LIMIT'),
  apiRateWindowMs: setting(
    Seconds,
    180_000,
    'GATEWAY_API_RATE_WINDOW',
    'GLOBAL_API_RATE_LIMIT_DURATION',
  ),
  webRateLimitEnabled: setting(
    Flag,
    true,
    'GATEWAY_WEB_RATE_LIMIT_ENABLED',
    'GLOBAL_WEB_RATE_LIMIT_ENABLE',
  ),
  webRateLimit: setting(WholeNumber, 60, 'GATEWAY_WEB_RATE_LIMIT', 'GLOBAL_WEB_RATE_LIMIT'),
  webRateWindowMs: setting(
    Seconds,
    180_000,
    'GATEWAY_WEB_RATE_WINDOW',
    'GLOBAL_WEB_RATE_LIMIT_DURATION',
  ),
  criticalRateLimitEnabled: setting(Flag, true, 'GATEWAY_CRITICAL_RATE_LIMIT_ENABLED'),
  criticalRateLimit: setting(WholeNumber, 20, 'GATEWAY_CRITICAL_RATE_LIMIT'),
  criticalRateWindowMs: setting(Seconds, 1_200_000, 'GATEWAY_CRITICAL_RATE_WINDOW'),
  timeZone: setting(TimeZone, '', 'GATEWAY_TIME_ZONE', 'TZ'),
  trustedProxies: setting(Text, 'loopback,linklocal,uniquelocal', 'GATEWAY_TRUSTED_PROXIES'),
  egressAllow: setting(Text, '', 'GATEWAY_EGRESS_ALLOW'),
  caFile: setting(Text, '', 'GATEWAY_CA_FILE'),
  turnstileUrl: setting(
    Text,
    'https://challenges.cloudflare.com/turnstile/v0/siteverify',
    'GATEWAY_TURNSTILE_URL',
  ),
  googleTokenUrl: setting(
    Address,
    'https://oauth2.googleapis.com/token',
    'GATEWAY_GOOGLE_TOKEN_URL',
  ),
  githubUrl: setting(Address, 'https://github.com', 'GATEWAY_GITHUB_URL'),
  githubApiUrl: setting(Address, 'https://api.github.com', 'GATEWAY_GITHUB_API_URL'),
  linuxdoUrl: setting(Address, 'https://connect.linux.do', 'GATEWAY_LINUXDO_URL'),
  allowPrivateIdentityHosts: setting(Flag, false, 'GATEWAY_ALLOW_PRIVATE_IDENTITY_HOSTS'),
} as const;

type Key = keyof typeof SETTINGS;
type Shape = {
  readonly [K in Key]: (typeof SETTINGS)[K] extends Setting<infer Value> ? Value : never;
};

const KEYS = Object.keys(SETTINGS) as Key[]; // a literal's own keys
const SHAPE = z.object(Object.fromEntries(KEYS.map((key) => [key, SETTINGS[key].schema])));

/** They may be or contain passwords: a `SecretValue` prints as `[redacted]`. */
const SEALED = [
  'database',
  'logDatabase',
  'redisUrl',
  'secretKey',
  'oldSecretKey',
  'metricsToken',
  'otlpHeaders',
] as const;
type SealedKey = (typeof SEALED)[number];
type Sealed = Readonly<Record<SealedKey, SecretValue>>;

export interface Config extends Omit<Shape, SealedKey>, Sealed {
  /** Name of the variable or flag that `database` was read from. */
  readonly databaseSource: string;
}

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

/** The flags whose names differ from their keys. */
const FLAGS: Readonly<Partial<Record<Key, string>>> = {
  dataDir: '--data',
  database: '--db',
  logDir: '--log-dir',
};

/** All environment variables that are read, including older names. */
export const CONFIG_VARIABLES: readonly string[] = KEYS.flatMap((key) => SETTINGS[key].variables);

export type ConfigFlags = Readonly<Partial<Record<Key, string | number | boolean | undefined>>>;
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
  const nameOf = (key: Key) =>
    SETTINGS[key].variables.find((candidate) => (env[candidate] ?? file[candidate] ?? '') !== '');
  const sourceOf = (key: Key) =>
    flags[key] === undefined ? (nameOf(key) ?? '') : (FLAGS[key] ?? `--${key}`);
  for (const key of KEYS) {
    const name = nameOf(key);
    const value = flags[key] ?? (name === undefined ? undefined : env[name] || file[name]);
    if (value !== undefined) given[key] = value;
  }
  const parsed = z.safeParse(SHAPE, given, { error: issueMessage });
  if (!parsed.success) throw invalidSetting(parsed.error, sourceOf);
  const shape = parsed.data as Shape; // by the schemas of the table
  const dataDir = shape.dataDir === '' ? defaultDataDir(env) : path.resolve(shape.dataDir);
  const plain = { ...shape, database: databaseOf(shape.database, dataDir) };
  const sealed = SEALED.map((key) => [key, new SecretValue(plain[key])]);
  return Object.freeze({
    ...shape,
    dataDir,
    timeZone: shape.timeZone || machineTimeZone(),
    databaseSource: sourceOf('database'),
    ...(Object.fromEntries(sealed) as Sealed), // one value per key of the list
  });
}

function invalidSetting(error: z.core.$ZodError, sourceOf: (key: Key) => string): AppError {
  const issue = error.issues[0];
  const key = String(issue?.path[0] ?? '') as Key; // the schema's own keys
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
