/**
 * Presents the accounts, teams and keys of LiteLLM as rows of the one-api family, which then take
 * the same path; pure. A team becomes an account that owns the keys of the team: LiteLLM applies the
 * budget of the team to such a key and not that of its user.
 */
import { ROLES } from '../roles.ts';
import { TOKEN_STATUS, USER_STATUS } from '../statuses.ts';
import type { LITELLM_TABLES } from './family.ts';
import { boolIn, columnText, intIn, type SourceRow, secondsIn, unitsIn } from './values.ts';

export type LiteLlmRows = Readonly<Record<keyof typeof LITELLM_TABLES, readonly SourceRow[]>>;

export interface LiteLlmTools {
  /** Quota units per dollar. */
  readonly unitsPerUsd: number;
  /** Quota units granted to each account; 0 for none. */
  readonly balance: number;
  /** A number for a key or the id of an account, which is a text: negative, always the same. */
  readonly idOf: (text: string) => number;
}

/** LiteLLM makes a key of this team for each sign-in to its console. */
const CONSOLE_TEAM = 'litellm-dashboard';
/** The owner that LiteLLM names for keys that an administrator has made for no user. */
const DEFAULT_OWNER = 'default_user_id';
/** Names that stand for all models. */
const ALL_MODELS = 'all-proxy-models';
const TEAM_MODELS = 'all-team-models';

/** The rows of `users` and `tokens`, in the order in which they were created. */
export function familyRows(
  source: LiteLlmRows,
  tools: LiteLlmTools,
): { readonly users: readonly SourceRow[]; readonly tokens: readonly SourceRow[] } {
  const accounts = new Map<string, Account>();
  for (const row of source.users) {
    const id = columnText(row.user_id);
    accounts.set(`user ${id}`, { id, row, names: [row.user_alias, row.user_email, id] });
  }
  for (const row of source.teams) {
    const id = columnText(row.team_id);
    accounts.set(`team ${id}`, { id, row, names: [row.team_alias, id] });
  }
  const budgets = new Map(source.budgets.map((row) => [columnText(row.budget_id), row]));
  const keys = source.keys.filter((row) => columnText(row.team_id) !== CONSOLE_TEAM);
  const tokens = keys.map((row) => {
    const team = `team ${columnText(row.team_id)}`;
    const id = columnText(row.user_id) || DEFAULT_OWNER;
    const owner = accounts.has(team) ? team : `user ${id}`;
    // An owner may have no row, as the default owner.
    const account = accounts.get(owner) ?? { id, row: { user_id: id }, names: [id] };
    accounts.set(owner, account);
    return tokenRow({ row, owner, account, budgets }, tools);
  });
  const users = [...accounts].map(([name, account]) => userRow(name, account, tools));
  return { users: users.sort(byAge), tokens: tokens.sort(byAge) };
}

interface Account {
  readonly id: string;
  readonly row: SourceRow;
  /** The first that is not empty is its name. */
  readonly names: readonly unknown[];
}

function userRow(name: string, { row, names }: Account, tools: LiteLlmTools): SourceRow {
  const username = firstText(names);
  return {
    ...limitsOf(row),
    id: tools.idOf(name),
    source_name: username,
    username,
    display_name: username,
    email: row.user_email,
    ...(columnText(row.password) !== '' && { password: row.password }),
    role: columnText(row.user_role) === 'proxy_admin' ? ROLES.admin : ROLES.user,
    status: boolIn(row.blocked) ? USER_STATUS.banned : USER_STATUS.enabled,
    ...(tools.balance > 0 && { quota: tools.balance }),
    used_quota: unitsIn(row.spend, tools.unitsPerUsd),
    created_at: secondsIn(row.created_at),
  };
}

interface Key {
  readonly row: SourceRow;
  /** The name of its account. */
  readonly owner: string;
  readonly account: Account;
  readonly budgets: ReadonlyMap<string, SourceRow>;
}

function tokenRow({ row, owner, account, budgets }: Key, tools: LiteLlmTools): SourceRow {
  const shared = budgets.get(columnText(row.budget_id));
  const limits = limitsOf(row, shared);
  const perMinute = intIn(row.rpm_limit ?? shared?.rpm_limit);
  const models = modelsOf(row, account.row);
  const name = firstText([row.key_alias, row.key_name]);
  return {
    ...limits,
    id: tools.idOf(`key ${columnText(row.token)}`),
    source_name: name,
    key_sha256: row.token,
    user_id: tools.idOf(owner),
    name,
    status: boolIn(row.blocked) ? TOKEN_STATUS.disabled : TOKEN_STATUS.enabled,
    created_time: secondsIn(row.created_at),
    accessed_time: secondsIn(row.last_active),
    expired_time: secondsIn(row.expires) || -1,
    unlimited_quota: true,
    used_quota: unitsIn(row.spend, tools.unitsPerUsd),
    model_limits_enabled: models.length > 0,
    model_limits: models.join(','),
    ...(perMinute > 0 && {
      rate_limit_enabled: true,
      rate_limit_period: 60,
      rate_limit_count: perMinute,
      rate_limit_success: 0,
    }),
  };
}

/** The columns of limits, with those of the budget that a key shares with others. */
function limitsOf(row: SourceRow, shared: SourceRow = {}): SourceRow {
  const { max_budget, budget_duration, budget_reset_at } =
    columnText(row.max_budget) === '' ? shared : row;
  return {
    max_budget,
    budget_duration,
    budget_reset_at,
    model_max_budget: row.model_max_budget,
    spend: row.spend,
    max_concurrency: row.max_parallel_requests ?? shared.max_parallel_requests,
    tokens_per_minute: row.tpm_limit ?? shared.tpm_limit,
  };
}

/** A key without models of its own may use those of its team or user. */
function modelsOf(key: SourceRow, owner: SourceRow): readonly string[] {
  const own = arrayIn(key.models);
  const models = own.length === 0 || own.includes(TEAM_MODELS) ? arrayIn(owner.models) : own;
  return models.includes(ALL_MODELS) ? [] : models;
}

/** A text array as PostgreSQL prints it. */
function arrayIn(value: unknown): readonly string[] {
  const items = columnText(value).matchAll(/"((?:[^"\\]|\\.)*)"|([^{},"]+)/g);
  return [...items].map(([, quoted, plain = '']) => quoted?.replaceAll(/\\(.)/g, '$1') ?? plain);
}

function firstText(values: readonly unknown[]): string {
  return values.map((value) => columnText(value)).find((text) => text !== '') ?? '';
}

function byAge(one: SourceRow, other: SourceRow): number {
  const [a, b] = [one, other].map((row) => intIn(row.created_at ?? row.created_time));
  return (a ?? 0) - (b ?? 0) || intIn(one.id) - intIn(other.id);
}
