/**
 * A client of the management API of a `Site`: a browser that keeps cookies, or a program with a
 * token.
 */
import { request } from 'undici';
import type { Visit } from '../../src/api/call.ts';
import { startSession } from '../../src/services/credentials/sessions.ts';
import type { Site, SiteUser } from './site.ts';

export interface ApiRequest {
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, with the content type in `headers`. */
  readonly rawBody?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests look into bodies of every form
  readonly body: any;
}

export interface ApiClient {
  send(method: string, path: string, options?: ApiRequest): Promise<ApiReply>;
  readonly cookies: Map<string, string>;
}

/** `token`: an access token instead of cookies. */
export function apiClient(site: Pick<Site, 'url'>, token = ''): ApiClient {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async send(method, path, { query = {}, body, rawBody, headers = {} } = {}) {
      const url = new URL(path, site.url);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await request(url, {
        method: method as 'GET', // any method is valid here
        headers: {
          ...(cookie === '' ? {} : { cookie }),
          ...(token === '' ? {} : { authorization: token }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: rawBody ?? (body === undefined ? null : JSON.stringify(body)),
      });
      keep(cookies, answer.headers['set-cookie']);
      const text = await answer.body.text();
      return { status: answer.statusCode, headers: answer.headers, text, body: parsed(text) };
    },
  };
}

/** Creates a browser with a session of this user. */
export async function signedIn(site: Site, user: Pick<SiteUser, 'id'>): Promise<ApiClient> {
  const browser = apiClient(site);
  await startSession(site.ctx, visitWith(browser.cookies), user.id);
  return browser;
}

/** A visit that stores its cookies in `cookies`, under the names a browser would see. */
export function visitWith(cookies: Map<string, string>): Visit {
  return {
    address: '127.0.0.1',
    userAgent: 'a test',
    language: 'en',
    via: 'anonymous',
    proxy: undefined,
    cookies: {
      get: (name) => cookies.get(`gateway_${name}`),
      set: (name, value) => void cookies.set(`gateway_${name}`, value),
      clear: (name) => void cookies.delete(`gateway_${name}`),
    },
  };
}

function keep(cookies: Map<string, string>, set: string | string[] | undefined): void {
  for (const line of [set ?? []].flat()) {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', value = ''] = pair.split('=');
    const isOver = value === '' || attributes.some((one) => /^max-age=0$/i.test(one));
    if (isOver) cookies.delete(name);
    else cookies.set(name, decodeURIComponent(value));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
