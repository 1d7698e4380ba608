import { describe, expect, test } from 'vitest';
import { sharedSite } from '../../support/shared-site.ts';
import { bodyIn } from '../../upstream/wire.ts';
import { rawReply } from '../raw-reply.ts';

const MAX_BODY_MB = 1;

const site = await sharedSite({ config: { maxBodyMb: MAX_BODY_MB } });

describe('an unknown address', () => {
  test.each([
    ['GET', '/v1/nope'],
    ['POST', '/v1/nope'],
    ['GET', '/v1'],
    ['GET', '/v1/'],
    ['POST', '/v1/chat/completions/more'],
    ['GET', '/hf/v1/nope'],
    ['GET', '/assets/nope.js'],
  ] as const)('%s %s answers 404 with the address', async (method, path) => {
    const answer = await site.call({ method, path, key: '' });
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text)).toEqual({
      error: {
        message: `Invalid URL (${method} ${path})`,
        type: 'invalid_request_error',
        param: '',
        code: '',
      },
    });
    expect(answer.requestId).not.toBe('');
  });

  test('is reported without its query, which may contain a key', async () => {
    const answer = await site.call({ path: '/v1/nope?key=sk-secret', key: '' });
    expect(bodyIn(answer.text).error?.message).toBe('Invalid URL (GET /v1/nope)');
  });

  test.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['PUT', '/v1/chat/completions', 'POST'],
    ['DELETE', '/v1/embeddings', 'POST'],
    ['PATCH', '/v1/completions/', 'POST'],
    ['GET', '/v1/engines/ada/embeddings', 'POST'],
    ['POST', '/v1/models', 'GET'],
    ['GET', '/hf/v1/moderations', 'POST'],
    ['POST', '/health/live', 'GET'],
  ] as const)(
    'with a wrong method, %s %s, answers 405 with the allowed method',
    async (method, path, allow) => {
      const answer = await site.call({ method, path });
      expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
      expect(bodyIn(answer.text).error).toMatchObject({ code: 'method_not_allowed' });
    },
  );

  test('is reported in the usual form for invalid HTTP and oversized headers', async () => {
    const long = `GET /v1/models HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`;
    for (const [bytes, status] of [
      ['HELO gateway\r\n\r\n', 400],
      [long, 431],
    ] as const) {
      const [head = '', body = ''] = (await rawReply(site, bytes)).split('\r\n\r\n');
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head).toMatch(/\r\nx-request-id: \w{30,}\r\n/);
      expect(bodyIn(body).error).toMatchObject({ type: 'invalid_request_error' });
    }
  });

  test.each([
    ['/v1/embeddings', 501, 'api_not_implemented'],
    ['/v1/chat/completions', 501, 'api_not_implemented'],
    ['/v1/realtime?model=x&intent=transcription', 501, 'api_not_implemented'],
    ['/v1/nope', 404, ''],
    ['/realtime?model=x', 404, ''],
    ['/anything', 404, ''],
  ] as const)(
    'an upgrade of %s to WebSocket answers %i, not a page',
    async (path, status, code) => {
      const answer = await rawReply(
        site,
        `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      );
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).toContain(`HTTP/1.1 ${status} `);
      expect(bodyIn(body).error?.code).toBe(code);
    },
  );

  test.each([
    '/v1/models/%E0%A4%A',
    '/v1/models/%',
    '/v1/engines/%ff/embeddings',
    `/v1/engines/${'x'.repeat(600)}/embeddings`,
    '/v1/../v1/nope',
  ])('%s is refused in the same form', async (path) => {
    const answer = await rawReply(
      site,
      `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
    );
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(head.toLowerCase()).toContain('\r\nx-request-id: ');
    expect(bodyIn(body).error).toMatchObject({ type: 'invalid_request_error' });
  });
});
