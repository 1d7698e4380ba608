/** Imports API tokens: the same `sk-` keys keep working, stored as hash and ciphertext. */
import { type ImportedToken, importedToken } from '../../domain/import/accounts.ts';
import type { ImportedBudget } from '../../domain/import/budgets.ts';
import type { SourceRow } from '../../domain/import/values.ts';
import { importedKeyHash } from '../../secrets.ts';
import { announceChanges } from '../../store/tables/changes-table.ts';
import { addBudgets, budgetsInRow } from './budgets.ts';
import { grantAndSpent, importedEntry, importNoun } from './import-noun.ts';
import type { ImportRun } from './import-run.ts';

interface Candidate {
  readonly row: SourceRow;
  readonly token: ImportedToken;
  readonly ownerId: number;
  readonly hash: string;
  readonly budgets: readonly ImportedBudget[];
}

export function importTokens(run: ImportRun): Promise<void> {
  return importNoun(run, 'tokens', {
    candidates: (rows) => candidatesOf(run, rows),
    columns: (candidate) => columnsOf(run, candidate),
    entries: ({ row, token, ownerId: userId }, tokenId) =>
      grantAndSpent({ left: token.remainQuota, used: token.usedQuota }, (cause, tokenUnits) => {
        const amount = { userId, userUnits: 0, tokenId, tokenUnits };
        return cause === 'granted'
          ? importedEntry(run, { noun: 'token', row }, { ...amount, cause: 'token_grant' })
          : importedEntry(run, { noun: 'token', row, part: ':spent' }, { ...amount, cause });
      }),
    finish: async (ctx, candidates, idOf) => {
      await announceChanges(ctx.db, 'tokens', candidates.map(idOf));
      for (const candidate of candidates) {
        const tokenId = idOf(candidate);
        const subject = {
          subject: 'token',
          id: tokenId,
          userId: candidate.ownerId,
          tokenId,
        } as const;
        await addBudgets(ctx, run, subject, candidate.budgets);
      }
    },
  });
}

async function candidatesOf(run: ImportRun, rows: readonly SourceRow[]): Promise<Candidate[]> {
  const candidates = rows.flatMap((row) => candidateOf(run, row));
  const hashes = await run.usedValues(
    'tokens',
    'key_hash',
    candidates.map(({ hash }) => hash),
  );
  return candidates.filter(({ row, hash }) => {
    const isFree = !hashes.has(hash);
    if (!isFree) run.skip('tokens', 'duplicate', row);
    hashes.add(hash);
    return isFree;
  });
}

function columnsOf({ ctx, options }: ImportRun, { token, hash, ownerId }: Candidate): object {
  const {
    key,
    sha256: _sha256,
    sourceUserId: _owner,
    remainQuota: _remain,
    usedQuota: _used,
    ...columns
  } = token;
  const key_cipher = options.dryRun ? '' : ctx.secrets.encrypt(key);
  return { ...columns, user_id: ownerId, key_hash: hash, key_cipher };
}

function candidateOf(run: ImportRun, row: SourceRow): Candidate[] {
  const token = importedToken(row, run.changeReporter('tokens', row));
  if ('skip' in token) {
    run.skip('tokens', token.skip, row);
    return [];
  }
  const ownerId = run.user(token.sourceUserId);
  if (ownerId > 0)
    return [
      { row, token, ownerId, hash: hashOf(run, token), budgets: budgetsInRow(run, 'tokens', row) },
    ];
  run.skip('tokens', 'orphan', row);
  return [];
}

function hashOf({ ctx }: ImportRun, { key, sha256 }: ImportedToken): string {
  return key === '' ? importedKeyHash(ctx.secrets.hash, sha256) : ctx.secrets.hash(key);
}
