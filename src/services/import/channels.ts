/** Imports channels with their keys; their abilities are rebuilt from them. */
import { keyHint } from '../../domain/channels/channel-keys.ts';
import { type ImportedChannel, importedChannel } from '../../domain/import/channels.ts';
import { columnText, intIn, type SourceRow } from '../../domain/import/values.ts';
import { insertRows } from '../../store/sql/inserts.ts';
import { finishWrite } from '../channels/channel-writes.ts';
import { importedEntry, importNoun } from './import-noun.ts';
import type { ImportRun } from './import-run.ts';

export function importChannels(run: ImportRun): Promise<void> {
  return importNoun(run, 'channels', {
    candidates: (rows) => rows.flatMap((row) => candidateOf(run, row)),
    columns: ({ channel }) => channel.fields,
    entries({ row, channel: { usedQuota } }, channelId) {
      const amount = { userId: 0, userUnits: 0, channelId, channelUnits: usedQuota };
      return usedQuota === 0
        ? []
        : [importedEntry(run, { noun: 'channel', row }, { ...amount, cause: 'past_charge' })];
    },
    async finish(ctx, candidates, idOf) {
      const keys = candidates.flatMap((one) => keysOf(run, idOf(one), one.channel));
      if (keys.length > 0) await insertRows(ctx.db, 'channel_keys', keys);
      await finishWrite(ctx, candidates.map(idOf));
    },
  });
}

interface Candidate {
  readonly row: SourceRow;
  readonly channel: ImportedChannel;
}

function candidateOf(run: ImportRun, row: SourceRow): Candidate[] {
  const channel = importedChannel(row, run.family, run.changeReporter('channels', row));
  if (!('skip' in channel)) return [{ row, channel }];
  run.report.count('channels', 'lost');
  const example = `${columnText(row.name, 60)} (type ${intIn(row.type)})`;
  run.report.note('channels', channel.skip, { example });
  return [];
}

function keysOf({ ctx }: ImportRun, channelId: number, { keys }: ImportedChannel): object[] {
  return keys.map(({ key, status, reason, disabledAtSec }, position) => ({
    channel_id: channelId,
    position,
    key_cipher: ctx.secrets.encrypt(key),
    key_hint: keyHint(key),
    status,
    reason,
    disabled_at: disabledAtSec,
  }));
}
