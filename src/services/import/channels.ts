/** Imports channels with their keys; their abilities are rebuilt from them. */
import { nowSec } from '../../context.ts';
import { keyHint } from '../../domain/channels/channel-keys.ts';
import { type ImportedChannel, importedChannel } from '../../domain/import/channels.ts';
import { columnText, intIn, type SourceRow } from '../../domain/import/values.ts';
import { postAll } from '../../store/ledger/ledger.ts';
import type { Entry } from '../../store/ledger/ledger-operations.ts';
import { insertRows } from '../../store/sql/inserts.ts';
import { addMappings, type IdPair } from '../../store/tables/imports-table.ts';
import { finishWrite } from '../channels/channel-writes.ts';
import type { ImportRun } from './import-run.ts';

export async function importChannels(run: ImportRun): Promise<void> {
  const map = await run.mapOf('channels');
  await run.forEachBatch('channels', async (rows) => {
    const candidates = rows.flatMap((row) => candidateOf(run, row));
    const idFor = await run.idsFor(
      'channels',
      candidates.map(({ row }) => row),
    );
    const channels: object[] = [];
    const keys: object[] = [];
    const entries: Entry[] = [];
    const pairs: IdPair[] = [];
    for (const { row, channel } of candidates) {
      const sourceId = intIn(row.id);
      const id = idFor(sourceId);
      channels.push({ ...channel.fields, id });
      if (!run.options.dryRun) keys.push(...keysOf(run, id, channel));
      entries.push(...entriesFor(run, sourceId, id, channel));
      pairs.push([sourceId, id]);
    }
    await run.write('channels', async (ctx) => {
      if (channels.length > 0) await insertRows(ctx.db, 'channels', channels);
      if (keys.length > 0) await insertRows(ctx.db, 'channel_keys', keys);
      await addMappings(ctx.db, run.options.name, 'channels', pairs);
      await postAll(ctx.db, entries);
      await finishWrite(
        ctx,
        pairs.map(([, id]) => id),
      );
    });
    for (const [from, to] of pairs) map.set(from, to);
    run.report.count('channels', 'imported', pairs.length);
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

function entriesFor(
  run: ImportRun,
  sourceId: number,
  id: number,
  { usedQuota }: ImportedChannel,
): Entry[] {
  if (usedQuota === 0) return [];
  return [
    {
      key: `import:${run.options.name}:channel:${sourceId}`,
      cause: 'past_charge',
      userId: 0,
      userUnits: 0,
      channelId: id,
      channelUnits: usedQuota,
      actor: 'operator',
      detail: JSON.stringify({ import: run.options.name, id: sourceId }),
      createdAtSec: nowSec(run.ctx),
    },
  ];
}
