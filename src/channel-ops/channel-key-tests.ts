/** Tests a channel with each of its keys, to find a bad key even if the others work. */
import type { Actor } from '../api/call.ts';
import type { Context } from '../context.ts';
import { CHANNEL_STATUS } from '../domain/statuses.ts';
import { storedEvent } from '../locales/event-text.ts';
import type { ChannelEntry } from '../services/cache/routing-cache.ts';
import { inParallel } from '../services/cluster/in-parallel.ts';
import { type ChannelKeyRow, channelKeysOf } from '../store/tables/channel-keys-table.ts';
import { applyTestOutcome } from './apply-test-outcome.ts';
import {
  type ChannelTestResult,
  type KeyTestResult,
  saveTestResult,
  testKey,
  testRequestOf,
} from './channel-tests.ts';

const PARALLEL_KEYS = 4;
/** After this time no further key of the channel is tested. */
const MAX_DURATION_MS = 60_000;

/**
 * Tests every enabled key, and disabled keys that may be re-enabled automatically, several at a
 * time. Combines them into one result for the channel: successful if all enabled keys are.
 * @returns undefined when `signal` fired before all was done.
 * @throws AppError channel_untestable.
 */
export async function testKeys(
  ctx: Context,
  actor: Actor,
  channel: ChannelEntry,
  { runId, signal }: { readonly runId: number; readonly signal: AbortSignal },
): Promise<ChannelTestResult | undefined> {
  const trial = testRequestOf(channel, { model: '', stream: false });
  const slowAfterMs = slowLimitMs(ctx);
  const keys = await keysToTest(ctx, channel.id);
  const startsUntil = AbortSignal.any([signal, AbortSignal.timeout(MAX_DURATION_MS)]);
  const tried = await inParallel(
    keys,
    { width: PARALLEL_KEYS, signal: startsUntil },
    async (key) => {
      const entry = { ...channel, keys: key === undefined ? [] : [decryptedKey(ctx, key)] };
      const probed = await testKey(ctx, entry, trial, { slowAfterMs, signal });
      return { entry, probed, isEnabled: isEnabled(key) };
    },
  );
  const result = combined(tried);
  if (signal.aborted || result === undefined) return undefined;
  // Working keys first: then the channel changes its status at most once in a test.
  for (const isWorking of [true, false])
    for (const { entry, probed } of tried)
      if (probed.shown.success === isWorking) await applyTestOutcome(ctx, entry, probed.outcome);
  await saveTestResult(ctx, actor, channel, { probed: result, runId });
  return result.shown;
}

interface KeyResult {
  /** The channel with this key alone. */
  readonly entry: ChannelEntry;
  readonly probed: KeyTestResult;
  readonly isEnabled: boolean;
}

/** Undefined: no time limit. */
function slowLimitMs(ctx: Context): number | undefined {
  const seconds = ctx.options().get('ChannelDisableThreshold');
  return seconds > 0 ? Math.ceil(seconds * 1000) : undefined;
}

/** A channel without keys is tested without one. */
async function keysToTest(ctx: Context, channelId: number): Promise<(ChannelKeyRow | undefined)[]> {
  const rows = (await channelKeysOf(ctx.reads, [channelId])).get(channelId) ?? [];
  const testable = rows.filter(({ status }) => status !== CHANNEL_STATUS.disabled);
  if (ctx.options().get('AutomaticEnableChannelEnabled') && testable.length > 0) return testable;
  const serving = rows.filter(isEnabled);
  return serving.length > 0 ? serving : [rows[0]];
}

function isEnabled(key: ChannelKeyRow | undefined): boolean {
  return key?.status === CHANNEL_STATUS.enabled;
}

function decryptedKey(ctx: Context, key: ChannelKeyRow) {
  return { id: key.id, key: ctx.secrets.decrypt(key.key_cipher) };
}

/** The result of the enabled keys; if there are none, whether any disabled key works. */
function combined(tried: readonly KeyResult[]): KeyTestResult | undefined {
  const serving = tried.filter(({ isEnabled }) => isEnabled);
  const counted = serving.length > 0 ? serving : tried;
  const bad = counted.find(({ probed }) => !probed.shown.success);
  const good = counted.find(({ probed }) => probed.shown.success);
  const chosen = serving.length > 0 ? (bad ?? good) : (good ?? bad);
  if (chosen === undefined || chosen === good || tried.length === 1) return chosen?.probed;
  const { shown, outcome } = chosen.probed;
  const message = storedEvent({
    event: 'channel_key_tested',
    params: { key: tried.indexOf(chosen) + 1, keys: tried.length, reason: shown.message },
  });
  return { shown: { ...shown, message }, outcome };
}
