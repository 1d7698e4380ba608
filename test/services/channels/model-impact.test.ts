/** Calls that take something away from users name what, and change nothing if asked first. */

import { describe, expect, it } from 'vitest';
import { apiCalls } from '../../../src/api/all.ts';
import { askingBeforeImpact, takesImpact } from '../../../src/api/impact.ts';
import { type AppError, ERRORS } from '../../../src/domain/errors/errors.ts';
import { localApi } from '../../../src/handlers.ts';
import { errorText } from '../../../src/locales/text.ts';
import { databases } from '../../support/databases.ts';
import { expectRefusal } from '../../support/expect-refusal.ts';
import { OPERATOR } from '../../support/local-site.ts';
import { sharedLocalSite } from '../../support/shared-site.ts';

const MODELS = 'shared-model,lonely-model';

describe.each(databases)('impact on $kind', async ({ kind }) => {
  const site = await sharedLocalSite(kind);
  const api = localApi(site.ctx, OPERATOR);
  const asking = askingBeforeImpact(api, apiCalls, async () => false);

  const aPair = async (tag = '') => {
    const kept = await site.aChannel({ models: 'shared-model', tag });
    const last = await site.aChannel({ models: MODELS, tag });
    return { kept, last };
  };
  const refusal = (...models: string[]) => ({ code: 'models_in_use', params: { models } });
  const LONELY = refusal('lonely-model (default)');

  it('of a deleted, disabled or changed channel is the models that no other one serves', async () => {
    const { kept, last } = await aPair();
    const { id } = last;
    await expect(asking.channel.remove({ id })).rejects.toMatchObject(LONELY);
    await expect(asking.channel.setStatus({ id, status: 2 })).rejects.toMatchObject(LONELY);
    await expect(asking.channel.edit({ id, models: 'other' })).rejects.toMatchObject(LONELY);
    await expect(asking.channel.edit({ id, status: 2 })).rejects.toMatchObject(LONELY);
    await expect(asking.channelBatch.edit({ ids: [id], status: 2 })).rejects.toMatchObject(LONELY);
    await expect(asking.channelBatch.remove({ ids: [kept.id, id] })).rejects.toMatchObject(
      refusal('lonely-model (default)', 'shared-model (default)'),
    );
    expect(await api.channel.get({ id })).toMatchObject({ status: 1, models: MODELS });
    expect((await api.channel.setStatus({ id, status: 2 })).status).toBe(2);
    await api.channel.remove({ id });
    await api.channel.remove({ id: kept.id });
  });

  it('of a group that a channel leaves is the group alone', async () => {
    const channel = await site.aChannel({ models: 'grouped', group: 'default,vip' });
    await expect(asking.channel.edit({ id: channel.id, group: 'vip' })).rejects.toMatchObject(
      refusal('grouped (default)'),
    );
    await api.channel.edit({ id: channel.id, group: 'vip' });
    await api.channel.remove({ id: channel.id });
  });

  it('of a tag counts all of its channels', async () => {
    const { kept, last } = await aPair('eu');
    await expectRefusal(asking.channelTag.disable({ tag: 'eu' }), 'models_in_use');
    await expect(
      asking.channelTag.edit({ tag: 'eu', models: 'shared-model' }),
    ).rejects.toMatchObject(LONELY);
    expect(await api.channelTag.edit({ tag: 'eu', priority: 3 })).toEqual({ count: 2 });
    expect(await api.channelTag.disable({ tag: 'eu' })).toBe(2);
    expect(await api.channelBatch.remove({ ids: [kept.id, last.id] })).toBe(2);
  });

  it('of removed keys is that of the channel when no enabled key is left', async () => {
    const [bad, good] = ['sk-refused-key-1', 'sk-working-key-2'];
    const { id, keys } = await site.aChannel({ models: MODELS, key: `${bad}\n${good}` });
    const disabled = { id: keys[0]?.id ?? 0, status: 3 };
    await site.ctx.db('channel_keys').where({ id: disabled.id }).update({ status: 3 });
    await expect(asking.channel.edit({ id, key: bad })).rejects.toMatchObject(
      refusal('lonely-model (default)', 'shared-model (default)'),
    );
    expect((await api.channel.get({ id })).keys).toHaveLength(2);
    const off = await api.channel.edit({ id, key: bad });
    expect(off).toMatchObject({ status: 3, keys: [disabled] });
    expect(JSON.parse(off.other_info).status_reason).toBe('All keys left are disabled');
    await api.channel.setStatus({ id, status: 1 });
    expect((await api.channel.edit({ id, key: good })).status).toBe(1);
    await api.channel.remove({ id });
  });

  it('of a renamed tag is the tag that it would be merged with', async () => {
    const [east, west] = [
      await site.aChannel({ tag: 'east' }),
      await site.aChannel({ tag: 'west' }),
    ];
    const merge = { tag: 'east', new_tag: 'west' };
    const error = await asking.channelTag.edit(merge).catch((thrown: AppError) => thrown);
    expect(error).toMatchObject({ code: 'tag_in_use', params: { tag: 'west', count: 1 } });
    expect(errorText(error as AppError, 'en')).toMatch(
      /^Other channels already have the tag west \(1\);/,
    );
    expect(errorText(error as AppError, 'zh')).toMatch(/^标签 west 下已有 1 个渠道/);
    expect((await api.channel.get({ id: east.id })).tag).toBe('east');
    expect(await api.channelTag.edit({ ...merge, new_tag: 'south' })).toEqual({ count: 1 });
    expect(await api.channelTag.edit({ tag: 'south', new_tag: 'south', priority: 1 })).toEqual({
      count: 1,
    });
    expect(await api.channelTag.edit({ ...merge, tag: 'south' })).toEqual({
      count: 1,
    });
    await api.channelBatch.remove({ ids: [east.id, west.id] });
  });

  it('of a group counts its users, channels and tokens', async () => {
    const owner = await site.aUser({ group: 'svip' });
    await site.aToken(owner, { group: 'svip' });
    const inUse = {
      code: 'group_in_use',
      params: { group: 'svip', users: 1, channels: 0, tokens: 1 },
    };
    await expect(asking.group.remove({ name: 'svip' })).rejects.toMatchObject(inUse);
    for (const value of ['{}', { default: 1, vip: 1 }])
      await expectRefusal(asking.option.set({ key: 'GroupRatio', value }), 'group_in_use', {
        param: 'GroupRatio',
      });
    await api.group.remove({ name: 'svip' });
    expect(await api.group.names({})).not.toContain('svip');
    await expectRefusal(asking.group.remove({ name: 'svip' }), 'group_missing');
  });

  it('of a price is the served models that have no other one', async () => {
    const channel = await site.aChannel({ models: 'own-priced,gpt-4o' });
    await api.price.set({ model: 'own-priced', in: 1, out: 2 });
    await api.price.set({ model: 'gpt-4o', in: 1, out: 2 });
    await api.price.set({ model: 'not-served', in: 1, out: 2 });
    const inUse = { code: 'prices_in_use', params: { models: ['own-priced'] } };
    await expect(asking.price.unset({ model: 'own-priced' })).rejects.toMatchObject(inUse);
    await expect(asking.price.reset({})).rejects.toMatchObject(inUse);
    await expect(asking.option.set({ key: 'ModelRatio', value: {} })).rejects.toMatchObject(inUse);
    await expect(asking.option.unset({ key: 'ModelRatio' })).rejects.toMatchObject(inUse);
    await api.price.unset({ model: 'gpt-4o' });
    await api.price.unset({ model: 'not-served' });
    await api.price.unset({ model: 'own-priced' });
    await api.channel.remove({ id: channel.id });
  });

  it('is asked about, and accepted at once by a caller who does not ask', async () => {
    const asked: string[] = [];
    const answering = (isSure: boolean) =>
      askingBeforeImpact(api, apiCalls, async ({ code }) => {
        asked.push(code);
        return isSure;
      });
    const { id } = await site.aChannel({ models: 'asked' });
    await expectRefusal(answering(false).channel.remove({ id }), 'models_in_use');
    await answering(true).channel.remove({ id });
    expect(asked).toEqual(['models_in_use', 'models_in_use']);
    await expectRefusal(api.channel.get({ id }), 'channel_missing');
  });
});

it('is an HTTP conflict for those who ask', () => {
  const codes = Object.entries(ERRORS).filter(([, row]) => 'isImpact' in row);
  expect(codes.map(([code]) => code)).toEqual([
    'group_in_use',
    'tag_in_use',
    'models_in_use',
    'prices_in_use',
  ]);
  for (const [, row] of codes) expect(row).toMatchObject({ envelopeHttp: 409 });
  expect(takesImpact(apiCalls.channel.remove)).toBe(true);
  expect(takesImpact(apiCalls.channel.list)).toBe(false);
});
