/** Samples of calls about channels and their upstreams. */
import type { channelCalls } from '../../../../src/api/channels/channel.ts';
import type { channelBatchCalls } from '../../../../src/api/channels/channel-batch.ts';
import type {
  channelBalanceCalls,
  channelHealthCalls,
  channelModelCalls,
  channelProbeCalls,
  channelTestCalls,
} from '../../../../src/api/channels/channel-probe.ts';
import type { channelTagCalls } from '../../../../src/api/channels/channel-tag.ts';
import type { channelTransferCalls } from '../../../../src/api/channels/channel-transfer.ts';
import { rawUpstream, whole } from '../../../relay/raw-upstream.ts';
import { UPSTREAM_KEY } from '../../../support/site.ts';
import type { Walker } from '../walker.ts';
import type { SamplesOf } from './sample.ts';

export const channel: SamplesOf<typeof channelCalls> = {
  list: {},
  search: { keyword: 'channel' },
  get: ({ site }) => ({ id: site.channel.id }),
  create: (walker) => ({ ...described(walker), mode: 'batch', key: 'sk-first\nsk-second' }),
  edit: async (walker) => ({ ...(await aChannel(walker)), weight: 3 }),
  remove: aChannel,
  wake: (walker) => aChannel(walker),
  setStatus: async (walker) => ({ ...(await aChannel(walker)), status: 2 }),
  copy: aChannel,
  fixAbilities: {},
  modelsEnabled: {},
};

export const channelBatch: SamplesOf<typeof channelBatchCalls> = {
  remove: async (walker) => ({ ids: [(await aChannel(walker)).id] }),
  setTag: async (walker) => ({ ids: [(await aChannel(walker)).id], tag: 'batch' }),
  edit: async (walker) => ({ ids: [(await aChannel(walker)).id], priority: -1 }),
  removeDisabled: {},
};

export const channelTag: SamplesOf<typeof channelTagCalls> = {
  edit: async (walker) => ({ tag: await aTag(walker), weight: 2 }),
  enable: async (walker) => ({ tag: await aTag(walker) }),
  disable: async (walker) => ({ tag: await aTag(walker) }),
};

export const channelTransfer: SamplesOf<typeof channelTransferCalls> = {
  exportAll: {},
  importAll: (walker) => ({ channels: [described(walker)] }),
};

export const probe: SamplesOf<typeof channelProbeCalls> = {
  test: ({ site }) => ({ id: site.channel.id, model: 'gpt-4o-mini' }),
};

export const channelTest: SamplesOf<typeof channelTestCalls> = {
  /** Only one runs at a time: reading the results to the end waits for the previous one. */
  begin: async (walker) => {
    await walker.person(10).browser.ask('GET', '/api/channel/test/stream');
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
  prices: async (walker) => ({ id: (await aPricedChannel(walker)).id }),
  fetchOf: ({ site }) => ({ base_url: site.upstream.url, key: UPSTREAM_KEY }),
  catalogue: {},
  retired: {},
};

export const channelHealth: SamplesOf<typeof channelHealthCalls> = {
  one: ({ site }) => ({ id: site.channel.id }),
  many: ({ site }) => ({ ids: String(site.channel.id) }),
};

/** A channel of an upstream that publishes a price. */
async function aPricedChannel(walker: Walker) {
  const upstream = await rawUpstream();
  const pricing = { prompt: '0.000001', completion: '0.000002' };
  upstream.answer = whole({ data: [{ id: 'priced-by-upstream', pricing, context_length: 1_000 }] });
  walker.onClose(() => upstream.close());
  return walker.api.channel.create({
    ...described(walker),
    base_url: upstream.url,
    models: 'priced-by-upstream',
  });
}

function described(walker: Walker) {
  return {
    name: walker.fresh('channel-of-walk'),
    key: UPSTREAM_KEY,
    base_url: walker.site.upstream.url,
    models: 'gpt-4o-mini',
  };
}

async function aChannel(walker: Walker): Promise<{ id: number }> {
  const { id } = await walker.site.addChannel();
  return { id };
}

/** Of one channel. */
async function aTag(walker: Walker): Promise<string> {
  return (await walker.site.addChannel({ tag: walker.fresh('tag') })).tag;
}
