/** Samples of calls about channels and their upstreams. */
import type { channelCalls } from '../../../../src/api/channels/channel.ts';
import type { channelBatchCalls } from '../../../../src/api/channels/channel-batch.ts';
import type { channelKeyCalls } from '../../../../src/api/channels/channel-key.ts';
import type {
  channelBalanceCalls,
  channelHealthCalls,
  channelModelCalls,
  channelProbeCalls,
  channelTestCalls,
} from '../../../../src/api/channels/channel-probe.ts';
import type { channelTagCalls } from '../../../../src/api/channels/channel-tag.ts';
import type { channelTransferCalls } from '../../../../src/api/channels/channel-transfer.ts';
import type { vendorCalls } from '../../../../src/api/channels/vendor.ts';
import { rawUpstream, whole } from '../../../relay/raw-upstream.ts';
import { UPSTREAM_KEY } from '../../../support/site.ts';
import type { Fixtures } from '../fixtures.ts';
import type { SamplesOf } from './sample.ts';

export const channel: SamplesOf<typeof channelCalls> = {
  list: {},
  search: { keyword: 'channel' },
  get: ({ site }) => ({ id: site.channel.id }),
  key: ({ site }) => ({ id: site.channel.id }),
  create: (fixtures) => ({ ...described(fixtures), mode: 'batch', key: 'sk-first\nsk-second' }),
  edit: async (fixtures) => ({ ...(await aChannel(fixtures)), weight: 3 }),
  remove: aChannel,
  wake: (fixtures) => aChannel(fixtures),
  setStatus: async (fixtures) => ({ ...(await aChannel(fixtures)), status: 2 }),
  copy: aChannel,
  fixAbilities: {},
  modelsEnabled: {},
};

export const channelBatch: SamplesOf<typeof channelBatchCalls> = {
  remove: async (fixtures) => ({ ids: [(await aChannel(fixtures)).id] }),
  setTag: async (fixtures) => ({ ids: [(await aChannel(fixtures)).id], tag: 'batch' }),
  edit: async (fixtures) => ({ ids: [(await aChannel(fixtures)).id], priority: -1 }),
  removeDisabled: {},
};

export const channelKey: SamplesOf<typeof channelKeyCalls> = {
  manage: ({ site }) => ({ channel_id: site.channel.id, action: 'get_key_status' }),
};

export const vendor: SamplesOf<typeof vendorCalls> = {
  list: {},
  search: { keyword: 'open' },
  get: { id: 1 },
};

export const channelTag: SamplesOf<typeof channelTagCalls> = {
  edit: async (fixtures) => ({ tag: await aTag(fixtures), weight: 2 }),
  enable: async (fixtures) => ({ tag: await aTag(fixtures) }),
  disable: async (fixtures) => ({ tag: await aTag(fixtures) }),
};

export const channelTransfer: SamplesOf<typeof channelTransferCalls> = {
  exportAll: {},
  importAll: (fixtures) => ({ channels: [described(fixtures)] }),
};

export const probe: SamplesOf<typeof channelProbeCalls> = {
  test: ({ site }) => ({ id: site.channel.id, model: 'gpt-4o-mini' }),
};

export const channelTest: SamplesOf<typeof channelTestCalls> = {
  /** Only one runs at a time: reading the results to the end waits for the previous one. */
  begin: async (fixtures) => {
    await fixtures.person(10).browser.send('GET', '/api/channel/test/stream');
    return {};
  },
  stop: {},
  stream: {},
};

export const channelBalance: SamplesOf<typeof channelBalanceCalls> = {
  update: ({ site }) => ({ id: site.channel.id }),
  updateAll: {},
};

export const channelModel: SamplesOf<typeof channelModelCalls> = {
  types: {},
  compare: ({ site }) => ({ id: site.channel.id }),
  fetch: ({ site }) => ({ id: site.channel.id }),
  prices: async (fixtures) => ({ id: (await aPricedChannel(fixtures)).id }),
  fetchOf: ({ site }) => ({ base_url: site.upstream.url, key: UPSTREAM_KEY }),
  catalogue: {},
  retired: {},
};

export const channelHealth: SamplesOf<typeof channelHealthCalls> = {
  one: ({ site }) => ({ id: site.channel.id }),
  many: ({ site }) => ({ ids: String(site.channel.id) }),
};

/** A channel of an upstream that publishes a price. */
async function aPricedChannel(fixtures: Fixtures) {
  const upstream = await rawUpstream();
  const pricing = { prompt: '0.000001', completion: '0.000002' };
  upstream.answer = whole({ data: [{ id: 'priced-by-upstream', pricing, context_length: 1_000 }] });
  fixtures.onClose(() => upstream.close());
  return fixtures.api.channel.create({
    ...described(fixtures),
    base_url: upstream.url,
    models: 'priced-by-upstream',
  });
}

function described(fixtures: Fixtures) {
  return {
    name: fixtures.fresh('channel-of-walk'),
    key: UPSTREAM_KEY,
    base_url: fixtures.site.upstream.url,
    models: 'gpt-4o-mini',
  };
}

async function aChannel(fixtures: Fixtures): Promise<{ id: number }> {
  const { id } = await fixtures.site.addChannel();
  return { id };
}

/** Of one channel. */
async function aTag(fixtures: Fixtures): Promise<string> {
  return (await fixtures.site.addChannel({ tag: fixtures.fresh('tag') })).tag;
}
