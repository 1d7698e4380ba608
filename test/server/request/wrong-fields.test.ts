/** A refused input names all of its wrong fields, in the language of the caller. */
import { describe, expect, test } from 'vitest';
import { signedIn } from '../../support/api-client.ts';
import { sharedSite } from '../../support/shared-site.ts';

const site = await sharedSite();
const admin = await signedIn(site, await site.addUser({ role: 100 }));

const post = async (path: string, body: object, language = 'en') => {
  const headers = { 'accept-language': language };
  return (await admin.send('POST', path, { body, headers })).body;
};

describe('a refused input', () => {
  const channel = { name: '', type: 1, key: 'sk-x', models: 'a', priority: -5000 };

  test('lists each wrong field with code, parameters and sentence', async () => {
    const refused = await post('/api/channel/', channel);
    expect(refused).toMatchObject({ success: false, code: 'input_invalid', param: 'name' });
    expect(refused.errors).toEqual([
      { field: 'name', code: 'empty', params: {}, message: 'Must not be empty' },
      {
        field: 'priority',
        code: 'too_small',
        params: { least: -999 },
        message: 'Must be at least -999',
      },
    ]);
    expect(refused.message.split('\n')).toHaveLength(2);
  });

  test('is worded in the language of the caller', async () => {
    const { errors } = await post('/api/channel/', channel, 'zh-CN');
    for (const { message } of errors) expect(message).toMatch(/\p{Script=Han}/u);
  });

  test('lists what several rules of the service refuse', async () => {
    const token = {
      name: 'x',
      expired_time: 1,
      group: 'nowhere',
      model_limits_enabled: true,
      allow_ips: 'nonsense',
    };
    const { errors } = await post('/api/token/', token);
    expect(errors.map(({ field, code }: { field: string; code: string }) => [field, code])).toEqual(
      [
        ['expired_time', 'not_in_future'],
        ['group', 'group_not_usable'],
        ['model_limits', 'empty'],
        ['allow_ips', 'not_address'],
      ],
    );
  });

  test('lists all wrong options of a batch, and saves none', async () => {
    const options = [
      { key: 'RetryTimes', value: 'many' },
      { key: 'SystemName', value: 'Saved?' },
      { key: 'ModelRatio', value: '{' },
      { key: 'gemini.safety_settings', value: { default: 'NONSENSE' } },
    ];
    const { body } = await admin.send('PUT', '/api/option/batch', { body: { options } });
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual([
      'RetryTimes',
      'ModelRatio',
      'gemini.safety_settings',
    ]);
    expect(site.ctx.options().get('SystemName')).not.toBe('Saved?');
  });

  test('names the accepted values, and where JSON breaks', async () => {
    const status = await post('/api/channel/batch/edit', { ids: [1], status: 3 });
    expect(status.errors).toMatchObject([
      { field: 'status', code: 'not_choice', params: { choices: ['1', '2'] } },
    ]);
    const headers = { 'content-type': 'application/json' };
    for (const [rawBody, position] of [
      ['{"name":"a",}', 12],
      ['{"name":', 8],
    ] as const) {
      const { body } = await admin.send('POST', '/api/token/', { rawBody, headers });
      expect(body).toMatchObject({ code: 'body_not_json', params: { position } });
    }
    const clearing = await admin.send('DELETE', '/api/log/', { query: { target_timestamp: 0 } });
    expect(clearing.body).toMatchObject({ code: 'input_invalid', param: 'target_timestamp' });
  });

  test('names the identity of a user that an administrator cannot set, only clear', async () => {
    const { id } = await site.addUser();
    await site.ctx.db('users').where({ id }).update({ github_id: 'octocat' });
    const edit = async (fields: object) =>
      (await admin.send('PUT', '/api/user/', { body: { id, ...fields } })).body;
    expect(await edit({ github_id: 'octocat', display_name: 'same' })).toMatchObject({
      data: { github_id: 'octocat', display_name: 'same' },
    });
    for (const identity of [{ github_id: 'someone' }, { telegram_id: '7' }])
      expect(await edit(identity)).toMatchObject({
        success: false,
        errors: [{ field: Object.keys(identity)[0], code: 'identity_of_owner' }],
      });
    expect(await edit({ github_id: '' })).toMatchObject({ data: { github_id: '' } });
  });

  test('with an impact is a conflict that names it to a caller who asks', async () => {
    const path = `/api/channel/${site.channel.id}`;
    const removal = await admin.send('DELETE', path, { query: { impact: 'ask' } });
    expect(removal.status).toBe(409);
    expect(removal.body).toMatchObject({ success: false, code: 'models_in_use' });
    expect((await admin.send('GET', path)).body.success).toBe(true);
  });

  test('goes through for a caller who does not ask, and the answer names the impact', async () => {
    const { id } = site.channel;
    const tagged = (tag: string) => ({ ids: [id], tag });
    const warned = (data: unknown) => ({
      success: true,
      data,
      warnings: [
        {
          code: 'models_in_use',
          params: { models: expect.arrayContaining(['gpt-4o (default)']) },
          message: expect.stringContaining('gpt-4o (default)'),
        },
      ],
    });
    const body = async (method: 'POST' | 'PUT', path: string, sent: object) =>
      (await admin.send(method, path, { body: sent })).body;
    const isOff = expect.objectContaining({ status: 2 });
    expect(await body('PUT', '/api/channel/', { id, status: 2 })).toMatchObject(warned(isOff));
    expect(await body('PUT', '/api/channel/', { id, status: 1 })).not.toHaveProperty('warnings');
    await body('POST', '/api/channel/batch/tag', tagged('all'));
    expect(await body('POST', '/api/channel/tag/disabled', { tag: 'all' })).toMatchObject(
      warned(1),
    );
    await body('POST', '/api/channel/tag/enabled', { tag: 'all' });
    expect(await body('PUT', '/api/channel/tag', { tag: 'all', models: 'other' })).toMatchObject(
      warned({ count: 1 }),
    );
    await body('PUT', '/api/channel/', { id, models: 'gpt-4o' });
    expect(await body('POST', '/api/channel/batch', { ids: [id] })).toMatchObject(warned(1));
  });
});
