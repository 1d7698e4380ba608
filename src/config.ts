/**
 * What needs a restart to change. Read once, in `boot.ts`, from flags, environment and a `.env`
 * file, in that order of precedence; what admins change live are options.
 */
import { homedir } from 'node:os';
import path from 'node:path';
import * as z from 'zod/mini';
import { AppError } from './domain/errors.ts';

const Seconds = z.pipe(
  z.coerce.number().check(z.nonnegative()),
  z.transform((seconds: number) => Math.round(seconds * 1000)),
);
const Flag = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false', '1', '0', ''])]),
  z.transform((value) => value === true || value === 'true' || value === '1'),
);
const WholeNumber = z.coerce.number().check(z.int(), z.nonnegative());
const Text = z.string();

const Shape = z.object({
  host: z._default(Text, '127.0.0.1'),
  port: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(65535)), 3000),
  dataDir: z._default(Text, ''),
  database: z._default(Text, ''),
  redisUrl: z._default(Text, ''),
  secretKey: z._default(Text, ''),
  logLevel: z._default(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']), 'info'),
  logDir: z._default(Text, ''),
  web: z._default(Flag, true),
  webRoot: z._default(Text, ''),
  streamIdleTimeoutMs: z._default(Seconds, 60_000),
  relayTimeoutMs: z._default(Seconds, 900_000),
  connectTimeoutMs: z._default(Seconds, 10_000),
  clientGraceMs: z._default(Seconds, 10_000),
  drainTimeoutMs: z._default(Seconds, 30_000),
  maxBodyMb: z._default(z.coerce.number().check(z.positive()), 64),
  maxAnswerMb: z._default(z.coerce.number().check(z.positive()), 64),
  maxConnectionsPerUpstream: z._default(WholeNumber, 10_000),
  azureApiVersion: z._default(Text, '2024-10-21'),
  strictHolds: z._default(Flag, false),
  generateDefaultToken: z._default(Flag, false),
  trustedProxies: z._default(Text, 'loopback,linklocal,uniquelocal'),
});

type Shape = z.output<typeof Shape>;

export interface Config extends Readonly<Omit<Shape, 'secretKey' | 'database' | 'redisUrl'>> {
  /** Connection strings may hold passwords: `Sealed` prints as `[redacted]`. */
  readonly database: Sealed;
  readonly redisUrl: Sealed;
  readonly secretKey: Sealed;
}

/** A secret that no log line and no `JSON.stringify` gives away; `.open()` reads it. */
export class Sealed {
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

/** Environment names of each key; the first that is set wins. The family's older names still work. */
const ENVIRONMENT: Readonly<Record<keyof Shape, readonly string[]>> = {
  host: ['GATEWAY_HOST', 'HOST'],
  port: ['GATEWAY_PORT', 'PORT'],
  dataDir: ['GATEWAY_DATA'],
  database: ['GATEWAY_DB', 'DATABASE_URL', 'SQL_DSN', 'SQLITE_PATH'],
  redisUrl: ['GATEWAY_REDIS', 'REDIS_URL', 'REDIS_CONN_STRING'],
  secretKey: ['GATEWAY_SECRET_KEY'],
  logLevel: ['GATEWAY_LOG_LEVEL', 'LOG_LEVEL'],
  logDir: ['GATEWAY_LOG_DIR'],
  web: ['GATEWAY_WEB'],
  webRoot: ['GATEWAY_WEB_ROOT'],
  streamIdleTimeoutMs: ['GATEWAY_STREAM_TIMEOUT', 'STREAMING_TIMEOUT'],
  relayTimeoutMs: ['GATEWAY_RELAY_TIMEOUT', 'RELAY_TIMEOUT'],
  connectTimeoutMs: ['GATEWAY_CONNECT_TIMEOUT'],
  clientGraceMs: ['GATEWAY_CLIENT_GRACE'],
  drainTimeoutMs: ['GATEWAY_DRAIN_TIMEOUT'],
  maxBodyMb: ['GATEWAY_MAX_BODY_MB'],
  maxAnswerMb: ['GATEWAY_MAX_ANSWER_MB'],
  maxConnectionsPerUpstream: ['GATEWAY_MAX_CONNECTIONS'],
  azureApiVersion: ['GATEWAY_AZURE_API_VERSION', 'AZURE_DEFAULT_API_VERSION'],
  strictHolds: ['GATEWAY_STRICT_HOLDS'],
  generateDefaultToken: ['GATEWAY_DEFAULT_TOKEN', 'GENERATE_DEFAULT_TOKEN'],
  trustedProxies: ['GATEWAY_TRUSTED_PROXIES'],
};

export type Flags = Readonly<Partial<Record<keyof Shape, string | number | boolean | undefined>>>;
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * One frozen configuration.
 * @throws AppError `config_invalid` naming the key and, where it came from there, the variable.
 */
export function loadConfig(flags: Flags, env: Environment, file: Environment = {}): Config {
  const given: Record<string, unknown> = {};
  for (const [key, names] of Object.entries(ENVIRONMENT)) {
    const fromFlag = flags[key as keyof Shape]; // the table's own keys
    const name = names.find((candidate) => (env[candidate] ?? file[candidate] ?? '') !== '');
    const value = fromFlag ?? (name === undefined ? undefined : env[name] || file[name]);
    if (value !== undefined) given[key] = value;
  }
  const parsed = z.safeParse(Shape, given);
  if (!parsed.success) throw badKey(parsed.error);
  const shape = parsed.data;
  const dataDir = shape.dataDir === '' ? defaultDataDir(env) : path.resolve(shape.dataDir);
  return Object.freeze({
    ...shape,
    dataDir,
    database: new Sealed(databaseOf(shape.database, dataDir)),
    redisUrl: new Sealed(shape.redisUrl),
    secretKey: new Sealed(shape.secretKey),
  });
}

function badKey(error: z.core.$ZodError): AppError {
  const issue = error.issues[0];
  const key = String(issue?.path[0] ?? '');
  const names = ENVIRONMENT[key as keyof Shape]?.join(' or ') ?? key;
  return new AppError(
    'config_invalid',
    { key, names, problem: issue?.message ?? '' },
    { param: key },
  );
}

/** The per-user folder, so that every command finds the same site from any working directory. */
function defaultDataDir(env: Environment): string {
  const base = env.XDG_DATA_HOME || path.join(homedir(), '.local', 'share');
  return path.join(base, 'ai-model-gateway');
}

function databaseOf(dsn: string, dataDir: string): string {
  return dsn === '' || dsn.startsWith('local') ? path.join(dataDir, 'gateway.sqlite') : dsn;
}
