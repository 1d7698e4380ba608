/**
 * First-run set-up. If two set-ups run at the same time, only one creates the root account, because
 * the marker row is unique.
 */
import type { Service, Visit } from '../../api/call.ts';
import type { setupCalls } from '../../api/site/setup.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { DEFAULT_GROUP } from '../../domain/groups.ts';
import type { OptionChange } from '../../domain/options/parse.ts';
import { ROLES } from '../../domain/roles.ts';
import { deleteSetupCode } from '../../store/tables/setup-codes-table.ts';
import { markSetUp } from '../../store/tables/setup-mark-table.ts';
import { hasSuperAdmin } from '../../store/tables/users-table.ts';
import { openAccount } from '../accounts/new-account.ts';
import { type TxContext, writing } from '../cluster/announced-write.ts';
import { hashPassword } from '../credentials/passwords.ts';
import { startSession } from '../credentials/sessions.ts';
import { changeOptions } from '../options/options.ts';
import { requireSetupCode } from './setup-code.ts';
import { isSetUp } from './setup-state.ts';

type Calls = Service<typeof setupCalls, Context>;
type Run = Parameters<Calls['run']>[2];

const ROOT_QUOTA = 100_000_000;

const SET_UP = {
  status: true,
  root_init: false,
  database_type: '',
  code_needed: false,
  proxy_detected: '',
} as const;

export const state: Calls['state'] = async (ctx, _actor, _input, visit) => {
  if (await isSetUp(ctx.reads)) return SET_UP;
  return {
    status: false,
    root_init: false,
    database_type: ctx.engine,
    code_needed: isCodeNeeded(visit),
    proxy_detected: visit.proxy ?? '',
  };
};

/**
 * @throws AppError already_set_up, passwords_differ, user_name_taken; setup_code_wrong and
 * setup_code_void over HTTP.
 */
export const run: Calls['run'] = async (ctx, actor, input, visit) => {
  if (await isSetUp(ctx.reads)) throw new AppError('already_set_up');
  if (isCodeNeeded(visit)) await requireSetupCode(ctx, input.code ?? '');
  if (input.password !== input.confirmPassword)
    throw new AppError('passwords_differ', {}, { param: 'confirmPassword' });
  const password = await hashPassword(input.password);
  const id = await writing(ctx, async (ctx) => {
    await claimSetUp(ctx);
    const id = await openAccount(ctx, actor, {
      username: input.username,
      password,
      display_name: 'Root User',
      role: ROLES.super_admin,
      email: '',
      group: DEFAULT_GROUP,
      quota: ROOT_QUOTA,
    });
    // No user is signed in yet: the one who may set up the site may choose the mode.
    await changeOptions(ctx, { kind: 'operator' }, async () => modeOptions(input, visit));
    return id;
  });
  if (visit.via !== 'terminal') await startSession(ctx, visit, id);
};

/** A loopback address proves nothing: requests through a local reverse proxy have one too. */
function isCodeNeeded({ via }: Visit): boolean {
  return via !== 'terminal';
}

async function claimSetUp(ctx: TxContext): Promise<void> {
  const isOurs = await markSetUp(ctx.db, ctx.version, nowSec(ctx));
  if (!isOurs || (await hasSuperAdmin(ctx.db))) throw new AppError('already_set_up');
  await deleteSetupCode(ctx.db);
}

/** A proxy is trusted only if the request says so explicitly: anyone can send its headers. */
function modeOptions(input: Run, { proxy }: Visit): OptionChange[] {
  const mode = [
    { key: 'SelfUseModeEnabled', value: input.SelfUseModeEnabled },
    { key: 'DemoSiteEnabled', value: input.DemoSiteEnabled },
    ...(input.DefaultLanguage === undefined
      ? []
      : [{ key: 'DefaultLanguage', value: input.DefaultLanguage }]),
    ...(input.ServerAddress === '' ? [] : [{ key: 'ServerAddress', value: input.ServerAddress }]),
  ];
  if (!input.trust_proxy || proxy === undefined) return mode;
  return [
    ...mode,
    { key: 'ReverseProxyEnabled', value: true },
    { key: 'ReverseProxyProvider', value: proxy },
  ];
}
