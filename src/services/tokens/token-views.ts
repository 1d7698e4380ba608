/** API tokens as the management API returns them. */
import type * as z from 'zod/mini';
import type { Token } from '../../api/accounts/token.ts';
import type { Context } from '../../context.ts';
import type { TokenRow } from '../../store/tables/tokens-table.ts';
import { usernamesOf } from '../../store/tables/users-table.ts';

type TokenView = z.input<typeof Token>;

export async function tokenViews(ctx: Context, rows: readonly TokenRow[]): Promise<TokenView[]> {
  const names = await usernamesOf(
    ctx.reads,
    rows.map((row) => row.user_id),
  );
  return rows.map((row) => maskedToken(ctx, row, names.get(row.user_id) ?? ''));
}

export async function tokenView(ctx: Context, row: TokenRow): Promise<TokenView> {
  const names = await usernamesOf(ctx.reads, [row.user_id]);
  return maskedToken(ctx, row, names.get(row.user_id) ?? '');
}

/** With the first and last characters of the key only. */
export function maskedToken(
  ctx: Context,
  { key_cipher, ...row }: TokenRow,
  username: string,
): TokenView {
  const key = ctx.secrets.decrypt(key_cipher);
  return { ...row, username, key: `sk-${key.slice(0, 3)}***${key.slice(-3)}` };
}
