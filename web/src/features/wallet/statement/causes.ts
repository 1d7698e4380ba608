import type { TFunction } from 'i18next';

/** The causes of ledger entries that are neither charges nor refunds of calls. */
const CAUSES = [
  'opening',
  'grant',
  'admin_edit',
  'redemption',
  'topup',
  'check_in',
  'invite',
  'transfer',
  'rebate',
  'past_charge',
] as const;

/** The name of a cause; that of a newer version as it is. */
export function causeName(t: TFunction, cause: string): string {
  const known = CAUSES.find((name) => name === cause);
  return known === undefined ? cause : t(`wallet.cause.${known}`);
}
