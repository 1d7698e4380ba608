import type { TFunction } from 'i18next';
import { splitList } from '../../../../../src/domain/text/comma-list.ts';
import { Meter } from '../../../components/charts/Meter.tsx';
import cells from '../../../components/data-table/cells.module.css';
import { QuotaText } from '../../../components/display/QuotaText.tsx';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import { SecretText } from '../../../components/display/SecretText.tsx';
import { StatusBadge } from '../../../components/display/StatusBadge.tsx';
import { Tag } from '../../../components/display/Tag.tsx';
import { GroupTag } from '../../../components/display/tag-lists.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { wholeKey } from '../../../hooks/useEnabledToken.ts';
import { usePrivacy } from '../../../lib/display/privacy.ts';
import { useQuotaText } from '../../../lib/pricing/quota-format.ts';
import { useCellText } from '../../../lib/text/cell-text.ts';
import { isEnabled, type SelectableGroups, type Token } from '../calls.ts';
import { addressesOf, NEVER_EXPIRES } from '../editor/token-form.ts';
import classes from './TokenCells.module.css';

interface CellProps {
  readonly token: Token;
}

export function StatusCell({ token }: CellProps) {
  const t = useCellText();
  const isLimited = isEnabled(token) && token.model_limits_enabled;
  return (
    <StatusBadge of="token" status={token.status}>
      {isLimited ? t('token.limitedModels') : undefined}
    </StatusBadge>
  );
}

export function KeyCell({ token }: CellProps) {
  const t = useCellText();
  const fetchKey = async () => {
    try {
      return await wholeKey(token);
    } catch (error) {
      toast.failure(error);
      throw error;
    }
  };
  return (
    <SecretText
      secret={fetchKey}
      masked={token.key.replaceAll('***', '••••')}
      label={t('token.copyKey')}
    />
  );
}

/** The remaining share of the token's total quota. */
export function RemainingCell({ token }: CellProps) {
  const t = useCellText();
  const quotaText = useQuotaText();
  const isPrivate = usePrivacy();
  const { remain_quota, used_quota, unlimited_quota } = token;
  if (unlimited_quota) return <span className={cells.dimmed}>{t('token.unlimited')}</span>;
  const total = remain_quota + used_quota;
  const share = total > 0 ? Math.max(0, Math.min(100, (remain_quota / total) * 100)) : 0;
  return (
    <div className={classes.remaining}>
      <QuotaText units={remain_quota} isPrivate />
      <Meter
        value={isPrivate ? 0 : share}
        isLow={share < 10}
        isHidden={isPrivate}
        label={t('token.leftOf', {
          left: isPrivate ? '•••' : quotaText(remain_quota),
          total: isPrivate ? '•••' : quotaText(total),
        })}
      />
    </div>
  );
}

export function GroupCell({
  token,
  groups,
}: CellProps & { readonly groups: SelectableGroups | undefined }) {
  const ratio = groups?.[token.group]?.ratio;
  return <GroupTag group={token.group} {...(ratio !== undefined && { ratio })} />;
}

const SHOWN = 20;

/** The token's restrictions: models, addresses, rate limits. */
export function LimitsCell({ token }: CellProps) {
  const t = useCellText();
  const models = token.model_limits_enabled ? splitList(token.model_limits) : [];
  const addresses = addressesOf(token.allow_ips);
  const { rate_limit_enabled, rate_limit_count, rate_limit_success, rate_limit_period } = token;
  if (models.length === 0 && addresses.length === 0 && !rate_limit_enabled)
    return <span className={cells.dimmed}>{t('token.noLimits')}</span>;
  return (
    <div className={classes.limits}>
      {models.length > 0 && (
        <Tag tone="blue" hint={namesText(t, models)}>
          {t('token.modelCount', { count: models.length })}
        </Tag>
      )}
      {addresses.length > 0 && (
        <Tag tone="teal" hint={namesText(t, addresses)}>
          {t('token.ipCount', { count: addresses.length })}
        </Tag>
      )}
      {rate_limit_enabled && (
        <Tag
          tone="violet"
          hint={t('token.rateHint', {
            count: rate_limit_count,
            success: rate_limit_success,
            seconds: rate_limit_period,
          })}
        >
          {rate_limit_count}/{rate_limit_period}s
        </Tag>
      )}
    </div>
  );
}

/** One name per line. */
function namesText(t: TFunction, names: readonly string[]): string {
  const more = names.length - SHOWN;
  return [
    ...names.slice(0, SHOWN),
    ...(more > 0 ? [t('common.moreCount', { count: more })] : []),
  ].join('\n');
}

const SOON_SEC = 3 * 86_400;

/** Red from three days before expiry. */
export function ExpiryCell({ token }: CellProps) {
  const t = useCellText();
  const { expired_time } = token;
  if (expired_time === NEVER_EXPIRES)
    return <span className={cells.dimmed}>{t('token.never')}</span>;
  const isSoon = expired_time - Date.now() / 1000 < SOON_SEC;
  return (
    <span className={isSoon ? classes.soon : undefined}>
      <RelativeTime at={expired_time} />
    </span>
  );
}

/** This many characters fit, even if wide. */
const NAME_FITS = 12;

export function NameCell({ token }: CellProps) {
  return (
    <div
      className={`${cells.clipped} ${cells.strong}`}
      data-hint={token.name.length <= NAME_FITS ? undefined : token.name}
    >
      {token.name}
    </div>
  );
}
