/** A database as LiteLLM creates it: the tables, columns and types that are imported. */
import { createHash } from 'node:crypto';
import { emptyDatabase, type FreshDatabase } from '../../support/databases.ts';

/** Keys as LiteLLM makes them; only their SHA-256 is stored. */
export const KEYS = {
  own: 'sk-Ow_n-1abcDEFghiJKLmnoPQR',
  team: 'sk-Te-am_2abcDEFghiJKLmnoPQ',
  unowned: 'sk-Nobody3abcDEFghiJKLmnoP',
  blocked: 'sk-Blocked4abcDEFghiJKLmno',
  console: 'sk-Console5abcDEFghiJKLmno',
} as const;

const LIMITS = `max_budget double precision, budget_duration text, budget_reset_at timestamp(3),
  model_max_budget jsonb not null default '{}', tpm_limit bigint, rpm_limit bigint,
  max_parallel_requests integer`;
const SPEND = `spend double precision not null default 0.0, models text[],
  created_at timestamp(3) default current_timestamp`;

const TABLES = `
  create table "LiteLLM_UserTable" (user_id text primary key, user_alias text, user_email text,
    user_role text, password text, sso_user_id text, ${SPEND}, ${LIMITS});
  create table "LiteLLM_TeamTable" (team_id text primary key, team_alias text,
    blocked boolean not null default false, ${SPEND}, ${LIMITS});
  create table "LiteLLM_BudgetTable" (budget_id text primary key, soft_budget double precision,
    ${LIMITS});
  create table "LiteLLM_VerificationToken" (token text primary key, key_name text, key_alias text,
    expires timestamp(3), user_id text, team_id text, budget_id text, blocked boolean,
    aliases jsonb not null default '{}', last_active timestamp(3), ${SPEND}, ${LIMITS});
  create table "LiteLLM_SpendLogs" (request_id text primary key, spend double precision);
  create table "_prisma_migrations" (id text primary key);
  create view "LiteLLM_VerificationTokenView" as select * from "LiteLLM_VerificationToken";
`;

const sha256 = (key: string) => createHash('sha256').update(key).digest('hex');
const at = (sec: number) => new Date(sec * 1000).toISOString().replace(/[TZ]/g, ' ').trim();

/** `nowSec`: the time at which it is read. */
export async function aLiteLlmDatabase(nowSec: number): Promise<FreshDatabase> {
  const database = await emptyDatabase('postgres');
  const { db } = database;
  await db.raw(TABLES);
  const [later, before] = [at(nowSec + 7_200), at(nowSec - 7_200)];
  await db('LiteLLM_UserTable').insert([
    {
      ...{ user_id: 'u-1', user_alias: 'ada', user_email: 'ada@example.com', spend: 1.25 },
      ...{ user_role: 'internal_user', models: ['gpt-4o-mini'], sso_user_id: 'sso-1' },
      ...{ max_budget: 5, budget_duration: '1d', budget_reset_at: later },
      ...{ tpm_limit: 9_000, max_parallel_requests: 3, created_at: '2025-01-01' },
    },
    {
      ...{ user_id: 'u-2', user_email: 'boss@example.com', user_role: 'proxy_admin' },
      ...{ max_budget: 2, budget_duration: '2h', password: 'scrypt:x', created_at: '2025-01-02' },
    },
  ]);
  await db('LiteLLM_TeamTable').insert({
    ...{ team_id: 't-1', team_alias: 'agents', max_budget: 100, budget_duration: '30d', spend: 40 },
    ...{ models: ['gpt-4o-mini', 'gpt-4o "old"'], budget_reset_at: later },
    created_at: '2025-01-03',
  });
  await db('LiteLLM_BudgetTable').insert({ budget_id: 'b-1', max_budget: 0.002, tpm_limit: 7_000 });
  await db('LiteLLM_VerificationToken').insert([
    {
      ...{ token: sha256(KEYS.own), key_alias: 'laptop', user_id: 'u-1', spend: 3 },
      ...{ max_budget: 10, budget_duration: '1w', budget_reset_at: before },
      created_at: '2025-02-01',
    },
    {
      ...{ token: sha256(KEYS.team), key_alias: 'reviewer', user_id: 'u-1', team_id: 't-1' },
      ...{ models: ['all-team-models'], rpm_limit: 30, spend: 0.5, created_at: '2025-02-02' },
      model_max_budget: {
        'gpt-4o': { budget_limit: 1, time_period: '1h' },
        'gpt-4o-mini': { max_budget: 2, budget_duration: '30s' },
      },
    },
    {
      ...{ token: sha256(KEYS.unowned), key_name: 'sk-...noP', budget_id: 'b-1', spend: 0.001 },
      ...{ expires: '2099-01-01 00:00:00', created_at: '2025-02-03' },
    },
    {
      ...{ token: sha256(KEYS.blocked), key_alias: 'lost', user_id: 'u-1', blocked: true },
      ...{ aliases: { a: 'b' }, created_at: '2025-02-04' },
    },
    { token: sha256(KEYS.console), user_id: 'u-2', team_id: 'litellm-dashboard' },
    { token: 'sk-not-hashed', key_alias: 'odd', user_id: 'u-1', created_at: '2025-02-05' },
  ]);
  await db('LiteLLM_SpendLogs').insert([{ request_id: '1' }, { request_id: '2' }]);
  return database;
}
