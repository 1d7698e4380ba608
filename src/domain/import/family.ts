/** Detects the program of the source installation from its tables and columns. */

export const SOURCE_FAMILIES = ['one-api', 'new-api', 'veloera'] as const;
export type SourceFamily = (typeof SOURCE_FAMILIES)[number];

/** Programs whose databases are imported. */
export type SourceProgram = SourceFamily | 'litellm';

/** Column names by table. */
export type SourceSchema = ReadonlyMap<string, ReadonlySet<string>>;

/** Columns that every family member has had since its first version. */
const COMMON: Readonly<Record<string, readonly string[]>> = {
  users: ['id', 'username', 'password', 'quota'],
  tokens: ['id', 'user_id', 'key', 'remain_quota'],
  channels: ['id', 'type', 'key', 'models'],
};

/** Tables and columns found only in one member and its descendants; latest descendant first. */
const MARKS: readonly { readonly family: SourceFamily; readonly marks: readonly string[] }[] = [
  {
    family: 'veloera',
    marks: [
      'redemption_logs.',
      'redemptions.is_gift',
      'tokens.rate_limit_enabled',
      'users.last_check_in_time',
    ],
  },
  {
    family: 'new-api',
    marks: [
      'setups.',
      'users.aff_quota',
      'tokens.model_limits_enabled',
      'channels.tag',
      'midjourneys.',
    ],
  },
];

/** The tables of LiteLLM that are imported, and their keys. */
export const LITELLM_TABLES = {
  users: { name: 'LiteLLM_UserTable', key: 'user_id' },
  teams: { name: 'LiteLLM_TeamTable', key: 'team_id' },
  keys: { name: 'LiteLLM_VerificationToken', key: 'token' },
  budgets: { name: 'LiteLLM_BudgetTable', key: 'budget_id' },
} as const;

export type DetectedProgram = SourceProgram | 'own' | 'unknown';

/** 'own' is a database of this gateway, for which backups are the right tool. */
export function sourceProgramOf(schema: SourceSchema): DetectedProgram {
  if (schema.has('ledger') && schema.has('channel_keys')) return 'own';
  if (Object.values(LITELLM_TABLES).every(({ name, key }) => schema.get(name)?.has(key)))
    return 'litellm';
  const isMember = Object.entries(COMMON).every(([table, columns]) =>
    columns.every((column) => schema.get(table)?.has(column)),
  );
  if (!isMember) return 'unknown';
  return MARKS.find(({ marks }) => marks.some((mark) => has(schema, mark)))?.family ?? 'one-api';
}

/** `table.column`, or `table.` for the table itself. */
function has(schema: SourceSchema, mark: string): boolean {
  const [table = '', column = ''] = mark.split('.');
  const columns = schema.get(table);
  return columns !== undefined && (column === '' || columns.has(column));
}
