/** Imports accounts with password, role, identities and balance. Accounts here keep their names. */
import { nowSec } from '../../context.ts';
import { type ImportedUser, importedUser } from '../../domain/import/accounts.ts';
import type { ImportedBudget } from '../../domain/import/budgets.ts';
import { columnText, intIn, type SourceRow } from '../../domain/import/values.ts';
import { IDENTITY_COLUMNS } from '../../domain/nouns/user.ts';
import { parsedObject } from '../../json/parse-json-object.ts';
import { announceChanges } from '../../store/tables/changes-table.ts';
import { type IdPair, setInviters } from '../../store/tables/imports-table.ts';
import { nameKey } from '../../store/tables/user-names-table.ts';
import { addBudgets, budgetsInRow } from './budgets.ts';
import { grantAndSpent, importedEntry, importNoun } from './import-noun.ts';
import type { ImportRun, UsedValues } from './import-run.ts';

interface Candidate {
  readonly row: SourceRow;
  readonly sourceId: number;
  readonly user: ImportedUser;
  readonly budgets: readonly ImportedBudget[];
  readonly unique: Unique;
}

type Read = Omit<Candidate, 'unique'>;

export function importUsers(run: ImportRun): Promise<void> {
  return importNoun(run, 'users', {
    candidates: (rows) => candidatesOf(run, rows),
    columns: (candidate) => columnsOf(run, candidate),
    entries: ({ row, user }, userId) =>
      grantAndSpent({ left: user.quota, used: user.usedQuota }, (cause, userUnits) =>
        cause === 'granted'
          ? importedEntry(run, { noun: 'user', row }, { cause: 'opening', userId, userUnits })
          : importedEntry(run, { noun: 'user', row, part: ':spent' }, { cause, userId, userUnits }),
      ),
    finish: async (ctx, candidates, idOf) => {
      await announceChanges(ctx.db, 'users', candidates.map(idOf));
      for (const candidate of candidates) {
        const id = idOf(candidate);
        await addBudgets(ctx, run, { subject: 'user', id, userId: id }, candidate.budgets);
      }
    },
  });
}

async function candidatesOf(run: ImportRun, rows: readonly SourceRow[]): Promise<Candidate[]> {
  const read = rows.flatMap((row) => {
    const user = importedUser(row, run.family, run.changeReporter('users', row));
    if (!('skip' in user))
      return [{ row, sourceId: intIn(row.id), user, budgets: budgetsInRow(run, 'users', row) }];
    run.skip('users', user.skip, row);
    return [];
  });
  const unique = await uniqueColumns(run, read);
  return read.map((one) => ({ ...one, unique }));
}

/** Columns that must be unique, with the values in use. */
type Unique = Readonly<Record<string, UsedValues>>;

async function uniqueColumns(run: ImportRun, candidates: readonly Read[]): Promise<Unique> {
  const taken = (column: string, values: readonly string[]) =>
    run.usedValues('users', column, values);
  const unique: Record<string, UsedValues> = {
    username: await taken('username', candidates.flatMap(namesFor)),
    username_key: await taken('username_key', candidates.flatMap(namesFor).map(nameKey)),
    email: await taken(
      'email',
      candidates.map(({ user }) => user.email.toLowerCase()),
    ),
    aff_code: await taken(
      'aff_code',
      candidates.map(({ user }) => user.aff_code),
    ),
    access_token_hash: await taken(
      'access_token_hash',
      candidates.map(({ user }) => hashOf(run, user.accessToken)),
    ),
  };
  for (const column of IDENTITY_COLUMNS)
    unique[column] = await taken(
      column,
      candidates.map(({ user }) => user.identities[column]),
    );
  return unique;
}

function namesFor({ user, sourceId }: Read): string[] {
  const stem = user.username || 'user';
  const number = Math.abs(sourceId);
  return [user.username, `${stem}-${number}`, `${stem}-${number}-imported`];
}

function hashOf({ ctx }: ImportRun, secret: string): string {
  return secret === '' ? '' : ctx.secrets.hash(secret);
}

function columnsOf(run: ImportRun, candidate: Candidate): object {
  const { row, user, unique } = candidate;
  const { identities, accessToken, quota: _, usedQuota, ...columns } = user;
  const note = run.changeReporter('users', row);
  /** The value, or '' if another account has it. */
  const claim = (column: string, value: string, compared = value): string => {
    if (value === '') return '';
    const taken = unique[column];
    if (taken?.has(compared)) {
      note('value_taken', column);
      return '';
    }
    taken?.add(compared);
    return value;
  };
  return {
    ...columns,
    setting: sealedSetting(run, user.setting),
    ...claimName(run, candidate),
    email: claim('email', user.email, user.email.toLowerCase()),
    ...Object.fromEntries(
      IDENTITY_COLUMNS.map((column) => [column, claim(column, identities[column])]),
    ),
    aff_code: claim('aff_code', user.aff_code) || null,
    access_token_hash: claim('access_token_hash', hashOf(run, accessToken)) || null,
    created_time: user.created_time || nowSec(run.ctx),
    inviter_id: 0,
  };
}

/** The source stores secrets in plain text. */
function sealedSetting({ ctx, options }: ImportRun, setting: string): string {
  const { webhook_secret, ...others } = parsedObject(setting);
  if (typeof webhook_secret !== 'string' || webhook_secret === '' || options.dryRun) return setting;
  return JSON.stringify({ ...others, webhook_secret: ctx.secrets.encrypt(webhook_secret) });
}

/** Names that differ only in case or form all keep theirs, as their owners sign in with them. */
function claimName(
  run: ImportRun,
  candidate: Candidate,
): { readonly username: string; readonly username_key: string | null } {
  const { user, sourceId, unique } = candidate;
  const free = namesFor(candidate).find((name) => name !== '' && !unique.username?.has(name));
  const name = free ?? `imported-${run.options.name}-${sourceId}`;
  unique.username?.add(name);
  if (name !== user.username)
    run.report.note('users', 'renamed', {
      field: 'username',
      example: `${user.username} -> ${name}`,
    });
  const key = nameKey(name);
  const isKeyTaken = unique.username_key?.has(key) ?? false;
  unique.username_key?.add(key);
  return { username: name, username_key: isKeyTaken ? null : key };
}

/** Sets the inviters, after all accounts have been imported and have an id. */
export async function importInviters(run: ImportRun): Promise<void> {
  if (run.options.dryRun || !run.schema.get('users')?.has('inviter_id')) return;
  for (let last = 0; !run.stopped; ) {
    const rows = await run.source.rowsAfter('users', last, 500);
    if (rows.length === 0) break;
    last = intIn(rows.at(-1)?.id);
    const pairs = rows
      .map((row): IdPair => [run.user(row.id), run.user(columnText(row.inviter_id))])
      .filter(([id, inviter]) => id > 0 && inviter > 0 && id !== inviter);
    if (pairs.length > 0) await run.write('users', (ctx) => setInviters(ctx.db, pairs));
  }
}
