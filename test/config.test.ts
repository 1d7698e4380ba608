import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { parseDsn } from '../src/store/connection/dsn.ts';

const PLACE = { dataDir: '/nowhere' };

it.each([
  [{ GATEWAY_TIME_ZONE: 'Asia/Shanghai', TZ: 'UTC' }, 'Asia/Shanghai'],
  [{ TZ: ':Europe/Berlin' }, 'Europe/Berlin'],
  [{ TZ: '' }, new Intl.DateTimeFormat().resolvedOptions().timeZone],
])('days with %o begin in the time zone %s', (env, timeZone) => {
  expect(loadConfig(PLACE, env).timeZone).toBe(timeZone);
});

it.each([
  [{}, 1],
  [{ GATEWAY_WORKERS: '3' }, 3],
  [{ GATEWAY_WORKERS: 'auto' }, availableParallelism()],
])('%o starts %i workers', (env, workers) => {
  expect(loadConfig(PLACE, env).workers).toBe(workers);
});

it.each(['0', '-1', '1.5', '257', 'many'])('refuses %s as number of workers', (workers) => {
  expect(() => loadConfig({ ...PLACE, workers }, {})).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      params: expect.objectContaining({
        key: 'workers',
        names: 'GATEWAY_WORKERS',
        problem: 'must be a number from 1 to 256, or auto',
      }),
    }),
  );
});

it('refuses an unknown time zone and names the setting', () => {
  expect(() => loadConfig(PLACE, { GATEWAY_TIME_ZONE: 'Mars/Olympus' })).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      params: expect.objectContaining({ key: 'timeZone' }),
    }),
  );
});

it.each([
  ['GATEWAY_METRICS_TOKEN', 'short', 'metricsToken'],
  ['GATEWAY_METRICS_PORT', '70000', 'metricsPort'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', 'otlpEndpoint'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'otlpProtocol'],
  ['OTEL_TRACES_SAMPLER', 'sometimes', 'tracesSampler'],
  ['OTEL_TRACES_SAMPLER_ARG', '2', 'tracesSamplerArg'],
])('%s refuses the value "%s"', (name, value, key) => {
  expect(() => loadConfig(PLACE, { [name]: value })).toThrow(
    expect.objectContaining({
      code: 'config_invalid',
      params: expect.objectContaining({ key, names: expect.stringContaining(name) }),
    }),
  );
});

it('does not print telemetry secrets', () => {
  const config = loadConfig(PLACE, {
    GATEWAY_METRICS_TOKEN: 'a-token-for-scrapers',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=very-secret-1',
  });
  expect(config.metricsToken.open()).toBe('a-token-for-scrapers');
  expect(JSON.stringify(config)).not.toMatch(/for-scrapers|very-secret/);
});

it.each([
  ['GATEWAY_DB', {}, { GATEWAY_DB: 'foo://x', DATABASE_URL: 'bar://x' }],
  ['DATABASE_URL', {}, { DATABASE_URL: 'bar://x' }],
  ['--db', { database: 'baz://x' }, { GATEWAY_DB: 'foo://x' }],
])('an unreadable database URL is reported with its source %s', (names, flags, env) => {
  const config = loadConfig(flags, env);
  expect(config.databaseSource).toBe(names);
  expect(() => parseDsn(config.database.open(), config.databaseSource)).toThrow(
    expect.objectContaining({ code: 'config_invalid', params: expect.objectContaining({ names }) }),
  );
});

it('refuses a database pool of one connection, which could deadlock', () => {
  expect(() => loadConfig({}, { GATEWAY_DB_POOL: '1' })).toThrow(
    expect.objectContaining({ code: 'config_invalid' }),
  );
  expect(loadConfig({}, { GATEWAY_DB_POOL: '4' }).databasePool).toBe(4);
});
