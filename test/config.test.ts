import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { type ConfigFlags, type EnvironmentVariables, loadConfig } from '../src/config.ts';
import { asAppError } from '../src/domain/errors/errors.ts';
import { errorText } from '../src/locales/text.ts';
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
        names: '--workers',
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

it('a refusal names the flag or the variable of the value, in both languages', () => {
  const refusalOf = (flags: ConfigFlags, env: EnvironmentVariables) => {
    try {
      loadConfig(flags, env);
    } catch (error) {
      return (['en', 'zh'] as const).map((language) => errorText(asAppError(error), language));
    }
    return undefined;
  };
  expect(refusalOf({ port: '99999' }, { PORT: '1' })).toEqual([
    'The value of --port is not valid: must be at most 65535.',
    '--port 的值无效：不能大于 65535',
  ]);
  expect(refusalOf({}, { GLOBAL_API_RATE_LIMIT_ENABLE: 'maybe' })).toEqual([
    'The value of GLOBAL_API_RATE_LIMIT_ENABLE is not valid: must be true or false.',
    'GLOBAL_API_RATE_LIMIT_ENABLE 的值无效：必须是 true 或 false',
  ]);
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
