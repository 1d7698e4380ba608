/** Parses connection strings: `postgres://`, `mysql://`, Go's form, `sqlite:` and plain paths. */
import path from 'node:path';
import { reasonParams } from '../../domain/errors/error-reasons.ts';
import { AppError } from '../../domain/errors/errors.ts';

export type Dsn =
  | { readonly engine: 'sqlite'; readonly location: string; readonly filename: string }
  | { readonly engine: 'postgres'; readonly location: string; readonly url: string }
  | { readonly engine: 'mysql'; readonly location: string; readonly server: MysqlServer };

/** The mysql2 connection options that a connection string can set. */
export interface MysqlServer {
  readonly host?: string;
  readonly port?: number;
  readonly socketPath?: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly ssl?: { readonly rejectUnauthorized: boolean };
}

/**
 * Parses a connection string: `postgres://`, `postgresql://`, `mysql://`, `mariadb://`, the form of
 * Go's MySQL driver (`user:password@tcp(host:port)/database`), `sqlite:<path>` or a plain path.
 * `source` is where it was read from, such as a variable.
 * @throws AppError `config_invalid` for any other scheme, a broken address or an in-memory SQLite.
 */
export function parseDsn(dsn: string, source = 'GATEWAY_DB'): Dsn {
  try {
    return readDsn(dsn);
  } catch (error) {
    if (!(error instanceof InvalidDsn)) throw error;
    const params = reasonParams('not_database', { value: error.message });
    throw new AppError('config_invalid', { ...params, key: 'database', names: source });
  }
}

function readDsn(dsn: string): Dsn {
  const text = dsn.trim();
  const go = /^([^:@/]*)(?::(.*))?@(tcp|unix)\(([^)]*)\)\/([^?]*)(?:\?(.*))?$/.exec(text);
  if (go !== null) return goMysql(go);
  const scheme = /^([a-z][a-z0-9+.]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'postgres' || scheme === 'postgresql') return postgres(text);
  if (scheme === 'mysql' || scheme === 'mariadb') return urlMysql(text);
  if (scheme !== undefined && scheme !== 'sqlite') throw new InvalidDsn(`${scheme}:`);
  return sqlite(text.replace(/^sqlite:(\/\/)?/i, ''));
}

function sqlite(text: string): Dsn {
  // Go programs append driver settings such as `?_busy_timeout=5000` to the path.
  const name = text.replace(/\?_.*$/, '');
  if (name === '' || name === ':memory:') throw new InvalidDsn(text);
  const filename = path.resolve(name);
  return { engine: 'sqlite', location: filename, filename };
}

function postgres(text: string): Dsn {
  return { engine: 'postgres', location: printable(address(text)), url: text };
}

function urlMysql(text: string): Dsn {
  const url = address(text);
  const server: MysqlServer = {
    host: url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    ...tlsOptions(url.searchParams),
  };
  return { engine: 'mysql', location: printable(url), server };
}

function goMysql([, user = '', password = '', net, at = '', database = '', query]: string[]): Dsn {
  const [host, port] = /^(.*?)(?::(\d+))?$/.exec(at)?.slice(1) ?? [];
  const endpoint =
    net === 'unix' ? { socketPath: at } : { host: host || '127.0.0.1', port: Number(port ?? 3306) };
  const server = {
    ...endpoint,
    user,
    password,
    database,
    ...tlsOptions(new URLSearchParams(query)),
  };
  return { engine: 'mysql', location: `mysql://${user}@${at}/${database}`, server };
}

/** `ssl-mode`, `ssl` (URL forms) and `tls` (Go), with each client's values; default is no TLS. */
function tlsOptions(query: URLSearchParams): Pick<MysqlServer, 'ssl'> {
  const mode = (query.get('ssl-mode') ?? query.get('ssl') ?? query.get('tls') ?? '').toLowerCase();
  if (['true', 'verify_ca', 'verify_identity'].includes(mode))
    return { ssl: { rejectUnauthorized: true } };
  return ['required', 'skip-verify'].includes(mode) ? { ssl: { rejectUnauthorized: false } } : {};
}

function address(text: string): URL {
  try {
    return new URL(text);
  } catch {
    // The text may contain a password, so neither it nor the parser's message is passed on.
    throw new InvalidDsn(`${text.split(':', 1)[0]}:`);
  }
}

function printable(url: URL): string {
  const user = url.username === '' ? '' : `${url.username}@`;
  return `${url.protocol}//${user}${url.host}${url.pathname}`;
}

/** Its message is the part of the address to show, without a password. */
class InvalidDsn extends Error {}
