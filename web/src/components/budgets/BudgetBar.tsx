import { Group, Progress, Stack, Text } from '@mantine/core';
import { useCallback } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { limitAt } from '../../../../src/domain/budgets/budget.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { useQuotaText } from '../../lib/pricing/quota-format.ts';
import { Dimmed } from '../display/Dimmed.tsx';
import { EntriesLink } from '../display/EntriesLink.tsx';
import { RelativeTime } from '../display/RelativeTime.tsx';
import { Tag } from '../display/Tag.tsx';
import type { Tone } from '../display/tones.ts';
import { entriesOf } from './budget-entries.ts';
import type { Budget } from './calls.ts';

export const STATE_TONES: Readonly<Record<Budget['state'], Tone>> = {
  ok: 'green',
  near: 'orange',
  full: 'red',
};

/** Colours of the bar; the texts say the same. */
const BAR_COLORS = { ok: undefined, near: 'orange', full: 'danger' } as const;

/** What the current window of a budget has spent, holds and has left. */
export function BudgetBar({ budget }: { readonly budget: Budget }) {
  const { t } = useTranslation();
  const amountText = useAmountText();
  const amount = (units: number) => amountText(budget.measure, units);
  const { spent_amount, held_amount, left_amount, state, period } = budget;
  const nowSec = Date.now() / 1000;
  const raised = { limit: budget.limit_amount, raisedAmount: budget.raised_amount };
  const limit = limitAt({ ...raised, raisedUntilSec: budget.raised_until }, nowSec);
  const share = (part: number) => Math.min(100, Math.max(0, (part / limit) * 100));
  const isRaised = limit > budget.limit_amount;
  const spent = t('part.budget.spent', { amount: amount(spent_amount) });
  const entries = entriesOf(budget);
  return (
    <Stack gap={4} miw={0} flex={1}>
      <Group gap={6}>
        <Text fw={500}>
          {t('part.budget.title', {
            limit: amount(budget.limit_amount),
            period: t(`part.budget.period.${period}`),
          })}
        </Text>
        {state !== 'ok' && <Tag tone={STATE_TONES[state]}>{t(`part.budget.state.${state}`)}</Tag>}
        {budget.shadow && <Tag tone="grey">{t('part.budget.shadow')}</Tag>}
        {budget.status !== 1 && <Tag tone="grey">{t('part.budget.disabled')}</Tag>}
        {isRaised && (
          <Tag tone="blue">
            {t('part.budget.raised', { amount: amount(limit - budget.limit_amount) })}
          </Tag>
        )}
      </Group>
      {budget.models.length > 0 && (
        <Dimmed style={{ overflowWrap: 'anywhere' }}>{budget.models.join(', ')}</Dimmed>
      )}
      <Progress.Root size={6}>
        <Progress.Section
          value={share(spent_amount)}
          aria-label={spent}
          {...(BAR_COLORS[state] !== undefined && { color: BAR_COLORS[state] })}
        />
        <Progress.Section
          value={Math.min(share(held_amount), 100 - share(spent_amount))}
          color="gray"
          aria-label={t('part.budget.held', { amount: amount(held_amount) })}
        />
      </Progress.Root>
      <Group justify="space-between" fz="xs" c="dimmed">
        <span>
          {entries === undefined ? spent : <EntriesLink {...entries}>{spent}</EntriesLink>}
          {held_amount > 0 && ` · ${t('part.budget.held', { amount: amount(held_amount) })}`}
          {` · ${t('part.budget.left', { amount: amount(left_amount) })}`}
        </span>
        <Reset budget={budget} />
      </Group>
    </Stack>
  );
}

const RESETS = 'part.budget.resetsAt';

function Reset({ budget }: { readonly budget: Budget }) {
  const { t } = useTranslation();
  if (budget.period === 'total') return <span>{t('part.budget.noReset')}</span>;
  if (budget.resets_at === 0) return <span>{t('part.budget.unused')}</span>;
  return (
    <span>
      <Trans t={t} i18nKey={RESETS} components={{ when: <RelativeTime at={budget.resets_at} /> }} />
    </span>
  );
}

/** Amounts in the measure of a budget; hidden by the privacy switch. */
export function useAmountText(): (measure: Budget['measure'], amount: number) => string {
  const { t } = useTranslation();
  const quotaText = useQuotaText();
  const isHidden = usePrivacy();
  return useCallback(
    (measure, amount) => {
      if (isHidden) return '•••';
      return measure === 'units'
        ? quotaText(amount)
        : t(`part.budget.amount.${measure}`, { count: amount });
    },
    [t, quotaText, isHidden],
  );
}
