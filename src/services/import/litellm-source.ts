/** The database of LiteLLM, with its accounts, teams and keys as tables of the one-api family. */
import { createHash } from 'node:crypto';
import { LITELLM_TABLES } from '../../domain/import/family.ts';
import { familyRows, type LiteLlmTools } from '../../domain/import/litellm.ts';
import type { ImportReport } from '../../domain/import/report.ts';
import { columnText, intIn, type SourceRow } from '../../domain/import/values.ts';
import type { ForeignDatabase } from '../../store/backup/import-source.ts';

interface Parts extends Omit<LiteLlmTools, 'idOf'> {
  readonly report: ImportReport;
}

/** Accounts and keys are read at once: there is one row for each, none for a call. */
export async function familySourceOf(
  source: ForeignDatabase,
  { report, ...amounts }: Parts,
): Promise<ForeignDatabase> {
  const { users, teams, keys, budgets } = LITELLM_TABLES;
  const rows = {
    users: await source.allRows(users.name),
    teams: await source.allRows(teams.name),
    keys: await source.allRows(keys.name),
    budgets: await source.allRows(budgets.name),
  };
  for (const team of rows.teams)
    report.note(teams.name, 'team_account', { example: columnText(team.team_alias) });
  const made = familyRows(rows, { ...amounts, idOf });
  const tables = new Map<string, readonly SourceRow[]>(Object.entries(made));
  const schema = new Map(await source.schema());
  for (const [name, [first = {}]] of tables) schema.set(name, new Set(Object.keys(first)));
  return {
    ...source,
    schema: async () => schema,
    count: async (name, since) => tables.get(name)?.length ?? source.count(name, since),
    async rowsAfter(name, id, limit, since) {
      const table = tables.get(name);
      if (table === undefined) return source.rowsAfter(name, id, limit, since);
      const start = table.findIndex((row) => intIn(row.id) === id) + 1;
      return table.slice(start, start + limit);
    },
    // The rows have no ids of their own to keep.
    highestId: async (name) => (tables.has(name) ? 0 : source.highestId(name)),
  };
}

const ID_BYTES = 6;

/** Negative, so that it is never kept as an id here. */
function idOf(text: string): number {
  return -1 - createHash('sha256').update(text).digest().readUIntBE(0, ID_BYTES);
}
