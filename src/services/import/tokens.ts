/** Imports API tokens: the same `sk-` keys keep working, stored as hash and ciphertext. */
import { nowSec } from '../../context.ts';
import { type ImportedToken, importedToken } from '../../domain/import/accounts.ts';
import { intIn, type SourceRow } from '../../domain/import/values.ts';
import { postAll } from '../../store/ledger/ledger.ts';
import type { Entry } from '../../store/ledger/ledger-operations.ts';
import { insertRows } from '../../store/sql/inserts.ts';
import { announceChanges } from '../../store/tables/changes-table.ts';
import { addMappings, type IdPair } from '../../store/tables/imports-table.ts';
import type { ImportRun } from './import-run.ts';

interface Candidate {
  readonly row: SourceRow;
  readonly token: ImportedToken;
  readonly ownerId: number;
  readonly hash: string;
}

export async function importTokens(run: ImportRun): Promise<void> {
  const { ctx } = run;
  const map = await run.mapOf('tokens');
  await run.forEachBatch('tokens', async (rows) => {
    const candidates = rows.flatMap((row) => candidateOf(run, row));
    const idFor = await run.idsFor(
      'tokens',
      candidates.map(({ row }) => row),
    );
    const hashes = await run.usedValues(
      'tokens',
      'key_hash',
      candidates.map(({ hash }) => hash),
    );
    const tokens: object[] = [];
    const entries: Entry[] = [];
    const pairs: IdPair[] = [];
    for (const candidate of candidates) {
      const { row, token, hash, ownerId } = candidate;
      if (hashes.has(hash)) {
        run.skip('tokens', 'duplicate', row);
        continue;
      }
      hashes.add(hash);
      const sourceId = intIn(row.id);
      const id = idFor(sourceId);
      const {
        key,
        sourceUserId: _owner,
        remainQuota: _remain,
        usedQuota: _used,
        ...columns
      } = token;
      const key_cipher = run.options.dryRun ? '' : ctx.secrets.encrypt(key);
      tokens.push({ ...columns, id, user_id: ownerId, key_hash: hash, key_cipher });
      entries.push(...entriesFor(run, sourceId, id, candidate));
      pairs.push([sourceId, id]);
    }
    await run.write('tokens', async (ctx) => {
      if (tokens.length > 0) await insertRows(ctx.db, 'tokens', tokens);
      await addMappings(ctx.db, run.options.name, 'tokens', pairs);
      await postAll(ctx.db, entries);
      await announceChanges(
        ctx.db,
        'tokens',
        pairs.map(([, id]) => id),
      );
    });
    for (const [from, to] of pairs) map.set(from, to);
    run.report.count('tokens', 'imported', pairs.length);
  });
}

function candidateOf(run: ImportRun, row: SourceRow): Candidate[] {
  const token = importedToken(row, run.changeReporter('tokens', row));
  if ('skip' in token) {
    run.skip('tokens', token.skip, row);
    return [];
  }
  const ownerId = run.user(token.sourceUserId);
  if (ownerId > 0) return [{ row, token, ownerId, hash: run.ctx.secrets.hash(token.key) }];
  run.skip('tokens', 'orphan', row);
  return [];
}

function entriesFor(
  run: ImportRun,
  sourceId: number,
  id: number,
  { token, ownerId }: Candidate,
): Entry[] {
  const { remainQuota, usedQuota } = token;
  const common = {
    userId: ownerId,
    userUnits: 0,
    tokenId: id,
    actor: 'operator',
    detail: JSON.stringify({ import: run.options.name, id: sourceId }),
    createdAtSec: nowSec(run.ctx),
  };
  const key = `import:${run.options.name}:token:${sourceId}`;
  const entries: Entry[] = [];
  if (remainQuota + usedQuota !== 0)
    entries.push({ ...common, key, cause: 'token_grant', tokenUnits: remainQuota + usedQuota });
  if (usedQuota > 0)
    entries.push({ ...common, key: `${key}:spent`, cause: 'past_charge', tokenUnits: -usedQuota });
  return entries;
}
