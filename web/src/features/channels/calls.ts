import type * as z from 'zod/mini';
import { priceSourceCalls } from '../../../../src/api/billing/price-source.ts';
import {
  type Channel as ChannelReply,
  channelCalls,
} from '../../../../src/api/channels/channel.ts';
import { channelBatchCalls } from '../../../../src/api/channels/channel-batch.ts';
import { channelKeyCalls } from '../../../../src/api/channels/channel-key.ts';
import {
  channelBalanceCalls,
  channelHealthCalls,
  channelModelCalls,
  channelProbeCalls,
  channelTestCalls,
  type ProbeResult,
} from '../../../../src/api/channels/channel-probe.ts';
import { channelTagCalls } from '../../../../src/api/channels/channel-tag.ts';
import { channelTransferCalls } from '../../../../src/api/channels/channel-transfer.ts';
import { logCalls } from '../../../../src/api/logs/log.ts';
import { publicCalls } from '../../../../src/api/site/public.ts';
import { client } from '../../lib/api/api.ts';

export type Channel = z.output<typeof ChannelReply>;
export type Probe = z.output<typeof ProbeResult>;

export const channels = client(channelCalls);
export const channelBatch = client(channelBatchCalls);
export const channelSingleKeys = client(channelKeyCalls);
export const channelTags = client(channelTagCalls);
export const channelProbe = client(channelProbeCalls);
export const channelTests = client(channelTestCalls);
export const channelBalances = client(channelBalanceCalls);
export const channelModels = client(channelModelCalls);
export const upstreamPrices = client(priceSourceCalls);
export const channelHealth = client(channelHealthCalls);
/** The management entries of the log. */
export const channelHistory = client({ list: logCalls.list });
export const channelTransfer = client(channelTransferCalls);
export const typicalModels = client({ byType: publicCalls.models });
