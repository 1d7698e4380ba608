/** New API tokens of a user, with their keys and quota. */
import type * as z from 'zod/mini';
import { MAX_TOKENS_PER_USER, type NewToken, type Token } from '../../api/accounts/token.ts';
import type { Actor } from '../../api/call.ts';
import { type Context, nowSec } from '../../context.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { TOKEN } from '../../domain/nouns/token.ts';
import { TOKEN_STATUS } from '../../domain/statuses.ts';
import { post } from '../../store/ledger/ledger.ts';
import { announceChange } from '../../store/tables/changes-table.ts';
import {
  countTokensOfUser,
  insertToken,
  type TokenFields,
  tokenById,
} from '../../store/tables/tokens-table.ts';
import type { UserRow } from '../../store/tables/users-table.ts';
import { isTokenOwner, requireToken } from '../access/token-owners.ts';
import type { TxContext } from '../cluster/announced-write.ts';
import { actorName, recordAction } from '../logs/audit.ts';
import { randomText } from '../random/random-text.ts';
import { checkedTokenFields } from './token-rules.ts';
import { maskedToken } from './token-views.ts';

type TokenView = z.input<typeof Token>;

const KEY_LENGTH = 48;
const SUFFIX_LENGTH = 6;

/** @throws AppError token_cap and as `checkedTokenFields`. */
export async function makeTokens(
  ctx: TxContext,
  actor: Actor,
  owner: UserRow,
  { count, remain_quota, ...input }: Omit<z.output<typeof NewToken>, 'user'>,
): Promise<TokenView[]> {
  if ((await countTokensOfUser(ctx.db, owner.id)) + count > MAX_TOKENS_PER_USER)
    throw new AppError('token_cap', { cap: MAX_TOKENS_PER_USER });
  const fields = { ...input, ...(await checkedTokenFields(ctx, owner, input)) };
  const made: TokenView[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = index === 0 ? fields.name : suffixed(fields.name, ctx.random);
    made.push(await makeToken(ctx, actor, owner, { ...fields, name, remain_quota }));
  }
  if (!isTokenOwner(actor, owner.id))
    await recordAction(ctx, actor, {
      action: 'token_create',
      event: { event: 'tokens_created', params: { count, name: fields.name } },
      user: owner,
      facts: { token_ids: made.map((token) => token.id) },
    });
  return made;
}

function suffixed(name: string, random: Context['random']): string {
  const stem = name.slice(0, TOKEN.name.most - SUFFIX_LENGTH - 1);
  return `${stem}-${randomText(random, SUFFIX_LENGTH)}`;
}

async function makeToken(
  ctx: TxContext,
  actor: Actor,
  owner: UserRow,
  { remain_quota, ...fields }: Omit<TokenFields, 'status'> & { readonly remain_quota: number },
): Promise<TokenView> {
  const key = randomText(ctx.random, KEY_LENGTH);
  const id = await insertToken(ctx.db, {
    ...fields,
    user_id: owner.id,
    key_hash: ctx.secrets.hash(key),
    key_cipher: ctx.secrets.encrypt(key),
    status: TOKEN_STATUS.enabled,
    created_time: nowSec(ctx),
  });
  if (remain_quota > 0)
    await post(ctx.db, {
      key: `token-grant:${id}`,
      cause: 'token_grant',
      userId: owner.id,
      userUnits: 0,
      tokenId: id,
      tokenUnits: remain_quota,
      actor: actorName(actor),
      createdAtSec: nowSec(ctx),
    });
  await announceChange(ctx.db, 'tokens', id);
  const token = requireToken(await tokenById(ctx.db, id), id);
  return { ...maskedToken(ctx, token, owner.username), key: `sk-${key}` };
}
