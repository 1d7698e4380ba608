/** Unusual names in JSON and queries: names of built-in object properties and repeated names. */
import { afterEach, describe, expect, it } from 'vitest';
import { signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';
import { fieldsOf, requestTo, ways } from './ways.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const chat = (model: string) => ({ model, messages: [{ role: 'user', content: 'hi' }] });

const site = await sharedSite({
  config: { apiRateLimitEnabled: false, criticalRateLimitEnabled: false },
});
const root = await signedIn(site, await site.addUser({ role: 100 }));

describe('names of built-in JavaScript properties', () => {
  const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];
  const polluted = () => Object.keys(Object.prototype).length + Number('role' in {});
  afterEach(() => expect(polluted()).toBe(0));

  it.each([
    '{"name":"a","__proto__":{"role":100}}',
    '{"name":"a","\\u005f_proto__":{"role":100}}',
    '{"name":"a","constructor":{"prototype":{"role":100}}}',
    '{"name":"a","setting":{"__proto__":{"role":100}}}',
    '{"name":"a","x":[[{"__proto__":{"role":100}}]]}',
  ])('are refused in a body: %s', async (rawBody) => {
    const reply = await root.send('POST', '/api/token/', { rawBody, headers: JSON_TYPE });
    expect(reply.body).toMatchObject({ success: false, code: 'body_not_json' });
  });

  it('have no effect in a query or a form', async () => {
    for (const name of NAMES) {
      const query = { [name]: '{"role":100}', [`${name}[role]`]: '100' };
      expect((await root.send('GET', '/api/token/', { query })).body.success).toBe(true);
      const reply = await root.send('POST', '/api/user/epay/notify', {
        rawBody: `${name}=1&${name}[role]=100&sign=x`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect([reply.status, reply.text]).toEqual([200, 'fail']);
    }
  });

  it('have no effect in the JSON of an option or a channel', async () => {
    for (const key of ['GroupRatio', 'ModelRatio', 'UserUsableGroups', 'ModelPrice']) {
      const value = key === 'UserUsableGroups' ? '"x"' : '1';
      const text = `{"default":${value},"__proto__":{"role":100},"constructor":${value}}`;
      const reply = await root.send('PUT', '/api/option/', { body: { key, value: text } });
      expect(reply.status).toBe(200);
      await root.send('DELETE', `/api/option/${key}`);
    }
    const channel = { name: 'own', key: 'sk-x', models: 'own-model', base_url: site.upstream.url };
    const texts = {
      param_override: '{"__proto__":{"role":100},"constructor":{"prototype":{"role":100}}}',
      model_mapping: '{"__proto__":"x","constructor":"y"}',
      status_code_mapping: '{"__proto__":"200","constructor":"200"}',
      setting: '{"__proto__":{"role":100}}',
    };
    await root.send('POST', '/api/channel/', { body: { ...channel, ...texts } });
    await site.option('ModelRatio', { 'own-model': 1 });
    await site.call({ body: chat('own-model') });
  });

  it.each(NAMES)('do not name a group, model, option, type, job or provider: %s', async (name) => {
    const { user } = site;
    const refused = [
      await root.send('PUT', '/api/user/', { body: { id: user.id, group: name } }),
      await root.send('POST', '/api/token/', { body: { name: 'a', group: name } }),
      await root.send('POST', '/api/channel/', {
        body: { name: 'a', key: 'k', models: 'm', group: name },
      }),
      await root.send('POST', '/api/channel/', {
        body: { name: 'a', key: 'k', models: 'm', type: name },
      }),
      await root.send('GET', `/api/option/${name}`),
      await root.send('PUT', '/api/option/', { body: { key: name, value: 'x' } }),
      await root.send('POST', `/api/job/${name}/run`),
      await root.send('GET', `/api/oauth/${name}/start`),
      await root.send('POST', '/api/oauth/unbind', { body: { provider: name } }),
      await root.send('POST', '/api/admin/messages', {
        body: { title: 'a', content: 'b', group: name },
      }),
      await root.send('GET', '/api/price/calc', {
        query: { model: name, prompt: 1, completion: 1 },
      }),
      await root.send('GET', '/api/price/calc', { query: { model: 'gpt-4o', group: name } }),
    ];
    for (const [index, reply] of refused.entries()) {
      expect([index, reply.status, reply.body.success], reply.text).toEqual([index, 200, false]);
      expect(reply.body.code).not.toBe('internal');
    }
    const call = await site.call({ body: chat(name) });
    expect(JSON.parse(call.text)).toMatchObject({ error: { code: 'model_not_found' } });
  });

  it.each(NAMES)('work as group names or are refused: %s', async (name) => {
    const set = await root.send('PUT', `/api/group/${name}`, { body: {} });
    expect(set.status).toBe(200);
    const names = (await root.send('GET', '/api/group/')).body.data;
    expect(names.includes(name)).toBe(set.body.success);
    if (set.body.success) expect(set.body.data).toMatchObject({ name, ratio: 1, users: 0 });
    await root.send('DELETE', `/api/group/${name}`);
  });
});

describe('repeated name', () => {
  it('in a body takes its last value', async () => {
    const rawBody = '{"name":"first","name":"last"}';
    const reply = await root.send('POST', '/api/token/', { rawBody, headers: JSON_TYPE });
    expect(reply.body.data.name).toBe('last');
  });

  const reads = ways.filter(({ method, call }) => method === 'GET' && call.role > 0);
  it.each(reads)('in a query causes no internal error: $title', async (way) => {
    const names = [...Object.keys(fieldsOf(way.call)), 'turnstile'];
    const query = names.map((name) => `${name}=1&${name}=2`).join('&');
    const reply = await root.send('GET', `${requestTo(way, {}).path}?${query}`);
    expect(reply.status).toBeLessThan(500);
    expect(reply.body?.code).not.toBe('internal');
  });
});
