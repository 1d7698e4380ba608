/** Access to full API token keys; logs when a user other than the owner reads one. */
import type { Actor } from '../../api/call.ts';
import type { Context } from '../../context.ts';
import { ROLES } from '../../domain/roles.ts';
import type { TokenRow } from '../../store/tables/tokens-table.ts';
import { usernamesOf } from '../../store/tables/users-table.ts';
import { isTokenOwner } from '../access/token-owners.ts';
import { writing } from '../cluster/announced-write.ts';
import { recordAction, roleOf } from '../logs/audit.ts';

export function mayReadKey(actor: Actor, token: TokenRow): boolean {
  return isTokenOwner(actor, token.user_id) || roleOf(actor) === ROLES.super_admin;
}

/** Whether the key is stored; an import may know only its hash. */
export function isKeyKnown(ctx: Context, { key_cipher }: TokenRow): boolean {
  return ctx.secrets.decrypt(key_cipher) !== '';
}

/** Decrypts keys for actors that `mayReadKey`; reading another user's key is logged. */
export async function fullTokenKeys(
  ctx: Context,
  actor: Actor,
  tokens: readonly TokenRow[],
): Promise<string[]> {
  const foreign = tokens.filter((token) => !isTokenOwner(actor, token.user_id));
  if (foreign.length > 0) await recordReveal(ctx, actor, foreign);
  return tokens.map(({ key_cipher }) => `sk-${ctx.secrets.decrypt(key_cipher)}`);
}

function recordReveal(ctx: Context, actor: Actor, tokens: readonly TokenRow[]): Promise<void> {
  return writing(ctx, async (ctx) => {
    const names = await usernamesOf(
      ctx.db,
      tokens.map((token) => token.user_id),
    );
    for (const { id, name, user_id } of tokens)
      await recordAction(ctx, actor, {
        action: 'token_reveal',
        event: { event: 'token_key_shown', params: { name } },
        user: { id: user_id, username: names.get(user_id) ?? '' },
        facts: { token_id: id },
      });
  });
}
